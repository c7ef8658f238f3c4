# Completion of drt for bash.
_drt() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local compute="--model --device --threads --gpu-memory" options=""
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "open ingest ask search show ls rm verify info sessions model bench eval --help --version" -- "$current")
        return
    fi
    if [[ $command == model && COMP_CWORD -eq 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "info quantize --help" -- "$current")
        return
    fi
    if [[ $command == bench && COMP_CWORD -eq 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "ops ingest ask --help" -- "$current")
        return
    fi
    if [[ $command == eval && COMP_CWORD -eq 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "needle passkey --help" -- "$current")
        return
    fi
    [[ $command == info && $previous == --memory ]] && previous="" # takes no argument there
    case $previous in
    --retriever)
        mapfile -t COMPREPLY < <(compgen -W "learned bm25 both random" -- "$current")
        return
        ;;
    --device)
        mapfile -t COMPREPLY < <(compgen -W "auto cpu cuda" -- "$current")
        return
        ;;
    --theme)
        mapfile -t COMPREPLY < <(compgen -W "default light monochrome" -- "$current")
        return
        ;;
    --memory)
        mapfile -t COMPREPLY < <(compgen -W "int8 bf16" -- "$current")
        return
        ;;
    --model | --scratch)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --max-tokens | --temperature | --top-p | --seed | --context | --threads | --gpu-memory | --top | --document | --tokens | --chunks | --questions | --facts | --keys | --together | --lanes | --include | --exclude | --jobs) return ;;
    esac
    if [[ $current == -* ]]; then
        case $command in
        open) options="--theme --ascii --no-mouse $compute" ;;
        ingest) options="--include --exclude --sync --dry-run --jobs --report --memory $compute" ;;
        ask) options="--json --retriever --document --max-tokens --temperature --top-p --seed --context --no-store $compute" ;;
        search) options="--json --retriever --document --top --seed --context $compute" ;;
        show) options="--json --text" ;;
        ls) options="--json --document" ;;
        verify) options="--compact" ;;
        info) options="--formats --memory --json $compute" ;;
        sessions) options="--json --delete" ;;
        bench)
            options="--json $compute"
            [[ ${COMP_WORDS[2]} == ops ]] && options="--slots --chunks $options"
            [[ ${COMP_WORDS[2]} == ingest ]] && options="--tokens --scratch $options"
            [[ ${COMP_WORDS[2]} == ask ]] && options="--chunks --questions --batch --max-tokens --scratch $options"
            ;;
        eval)
            options="--tokens --seed --memory --answers --scratch --json $compute"
            [[ ${COMP_WORDS[2]} == needle ]] && options="--facts --together --lanes $options"
            [[ ${COMP_WORDS[2]} == passkey ]] && options="--keys $options"
            ;;
        model) [[ ${COMP_WORDS[2]} == info ]] && options="--json" ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$current")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
complete -F _drt drt
