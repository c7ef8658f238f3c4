"""pdf_case.py: the cases of pdf_cases.py by their names."""
from pdf import PDF

CASES = {}


def case(text=None, status="ok", **more):
    """text: all of it, paragraphs parted by blank lines. has, lacks: pieces of it. title, authors, date, reason: as
    extracted. seconds: that it may take."""
    def register(function):
        CASES[function.__name__] = (function, dict(more, text=text, status=status))
        return function
    return register


def one_page(**info):
    document = PDF(**info)
    return document, document.page()
