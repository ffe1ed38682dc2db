"""The settings of Sphinx for the site. `build.py` beside it puts the pages together and starts Sphinx."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
sys.path.insert(0, str(PACKAGE / "src"))

project = "Dynamic Kafka for Spark"
release = re.findall(r'^version = "(.+)"$', (PACKAGE / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[0]
version = release
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
root_doc = "index"
html_title = project
html_theme = "pydata_sphinx_theme"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
# Nothing is fetched when a page is looked at: no fonts, no scripts and no pictures from elsewhere.
html_theme_options = {
    "logo": {"text": project},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "show_nav_level": 2,
    "navigation_depth": 3,
    "footer_start": ["release.html"],
    "footer_center": [],
    "footer_end": [],
    "search_bar_text": "Search: an option, an error, a task",
    "show_version_warning_banner": False,
}
html_sidebars: dict[str, list[str]] = {"index": [], "search": []}
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
templates_path = [str(Path(__file__).parent / "templates")]

# Anchors as GitHub makes them: the same links work there and here.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# Blocks of output and of a mixture have no language that a highlighter knows.
highlight_language = "text"
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = "$ "

# Docstrings name code by single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
nitpicky = False
