# Completion of drt for fish.
function __drt_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -l help -d 'List the commands'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -l version -d 'Version and compute backends'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a ingest -d 'Read archives, folders and files into a library'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a ask -d 'Answer a question, or one for each line of standard input'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a search -d 'Retrieve chunks for a query, without an answer'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a show -d 'Print a chunk or document, and where it came from'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a ls -d 'List the documents'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a rm -d 'Remove documents from a library'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a verify -d 'Check a library'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a info -d 'Facts about a library or this installation'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a sessions -d 'List past questions, or show one'
complete -c drt -n 'test (count (commandline -opc)) -eq 1' -f -a model -d 'Facts about a model, or an int8 copy'
complete -c drt -n '__drt_command model; and test (count (commandline -opc)) -eq 2' -f -a 'info quantize'

complete -c drt -n '__drt_command ingest ask search show ls rm verify info sessions model' -l help -d 'Show the options'
complete -c drt -n '__drt_command ask search show ls sessions model' -l json -d 'JSON objects, one a line'
complete -c drt -n '__drt_command ingest ask search' -x -l model -a '(__fish_complete_directories)' -d 'Model directory'
complete -c drt -n '__drt_command ingest ask search' -x -l device -a 'auto cpu cuda' -d 'Where to compute'
complete -c drt -n '__drt_command ingest ask search' -x -l threads -d 'CPU threads'
complete -c drt -n '__drt_command ingest' -r -l report -d 'Write one JSON object for each member'
complete -c drt -n '__drt_command ingest' -x -l memory -a 'int8 bf16' -d 'Chunk memory of a new library'
complete -c drt -n '__drt_command ask search' -x -l retriever -a 'learned bm25 both random' -d 'Who proposes chunks'
complete -c drt -n '__drt_command ask search ls' -x -l document -d 'Only documents whose path matches'
complete -c drt -n '__drt_command ask search' -x -l seed -d 'Seed of random choices'
complete -c drt -n '__drt_command ask search' -x -l context -d 'Characters around each passage'
complete -c drt -n '__drt_command ask' -x -l max-tokens -d 'Longest answer'
complete -c drt -n '__drt_command ask' -x -l temperature -d 'Temperature of sampling'
complete -c drt -n '__drt_command ask' -x -l top-p -d 'Sample among the likeliest tokens'
complete -c drt -n '__drt_command ask' -l no-store -d 'Keep no session'
complete -c drt -n '__drt_command search' -x -l top -d 'Chunks of each group'
complete -c drt -n '__drt_command show' -l text -d 'The text alone'
complete -c drt -n '__drt_command verify' -l compact -d 'Give back the space of removed documents'
complete -c drt -n '__drt_command sessions' -l delete -d 'Delete the session'
