package main

import (
	"time"

	"mcp-toolsearch/sidecar"
)

// Settings are all options of the program. Tags: env is the environment variable without the TOOLSEARCH_ prefix, from
// which the flag's name is derived too (CATALOG_TTL → --catalog-ttl); envDefault, help and example make up the
// documentation. A flag wins over its variable, a variable over the default. plain marks a variable that counts without
// the prefix too, where the prefixed one is not set: other programs had it first. form is how a value is written, where
// its type doesn't say it.
type Settings struct {
	Config         string `env:"CONFIG" form:"FILE" help:"JSON or YAML file of the MCP servers to merge, as clients have it (mcpServers); read again when it changes. They are served at /mcp (search) and /mcp/all (all tools)." example:"mcp.json"`
	Upstreams      string `env:"UPSTREAMS" plain:"true" form:"LIST" help:"MCP servers to merge: URLs, each with its bearer token after a bar if it needs one." example:"http://mail:8080/mcp|TOKEN,http://files:8080/mcp"`
	UpstreamURLs   string `env:"UPSTREAM_URLS" plain:"true" form:"LIST" help:"The older form of --upstreams: URLs without tokens. Ignored when --upstreams is set."`
	UpstreamURL    string `env:"UPSTREAM_URL" plain:"true" form:"LIST" help:"Further URLs of --upstream-urls."`
	UpstreamTokens string `env:"UPSTREAM_TOKENS" plain:"true" form:"LIST" help:"Bearer tokens of --upstream-urls by position; an empty one is none."`
	LitellmKey     string `env:"LITELLM_MASTER_KEY" plain:"true" help:"Bearer token for those URLs of --upstreams and --upstream-urls that contain litellm and have none."`
	A11yTimeout    string `env:"UPSTREAM_TIMEOUT_A11Y" plain:"true" envDefault:"280" form:"SECONDS" help:"Time for a call of those of --upstreams and --upstream-urls whose URL contains a11y. Others have 180 seconds."`
	CatalogTTLSec  string `env:"CATALOG_TTL_SEC" plain:"true" form:"SECONDS" help:"How long the tools of merged servers are used before they are listed again, in the place of --catalog-ttl: 1800 while no server gets the caller's token. 0: only when asked to, for an unknown name, or when a server says that they changed."`
	ManifestPath   string `env:"MANIFEST_PATH" plain:"true" form:"FILE" help:"File in which the tools of merged servers are kept, so that search works at once after a restart; never for tools that depend on the caller. Empty: none." example:"/app/data/manifest.json"`
	UpstreamProxy  string `env:"UPSTREAM_PROXY" help:"Proxy for requests to MCP servers: env for what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, or http://host:port. Empty: none, whatever these say."`
	ShareCaller    bool   `env:"SHARE_CALLER_TOKEN" help:"Lets auth: caller send a caller's token to more than one origin. Only where all of them are meant to have it."`
	SessionKeyFile string `env:"SESSION_KEY_FILE" form:"FILE" help:"File with the secret that seals the sessions of merged servers, the same for all replicas. Empty: a random one, and a client must stay with its replica."`
	Transport      string `env:"TRANSPORT" envDefault:"http" help:"http, or stdio for clients that start this program as a local command (the same as the stdio command)."`

	Upstream          string `env:"UPSTREAM" help:"Address of the gateway that serves the aggregate routes, as scheme://host:port. With a path it is the whole URL of one aggregate route, which is then served at /mcp and /mcp/search; the search command always takes that." example:"http://127.0.0.1:8080"`
	UpstreamAuthority string `env:"UPSTREAM_AUTHORITY" help:"Host that the aggregate routes' virtual host needs. Empty: the one of the client's request."`
	UpstreamCA        string `env:"UPSTREAM_CA" help:"PEM file of the authorities that sign the upstream's certificate; for merged servers beside the system's. Empty: the system's."`
	UpstreamCert      string `env:"UPSTREAM_CERT" form:"FILE" help:"PEM file with the certificate that is shown to upstreams which ask for one. It, its key and --upstream-ca are read again when they change."`
	UpstreamKey       string `env:"UPSTREAM_KEY" form:"FILE" help:"PEM file with the key of --upstream-cert."`
	UpstreamSNI       string `env:"UPSTREAM_SNI" help:"Server name sent and checked in TLS with the upstream. Empty: the host of --upstream."`

	Routes    []Route `env:"ROUTES" envDefault:"/mcp/search=/mcp/all" help:"Pairs of search path and aggregate path; repeat the flag or separate by commas." example:"/mcp/search=/mcp/all"`
	Reroute   bool    `env:"REROUTE" envDefault:"true" help:"Send calls to the aggregate route by a new path. false where the gateway can't choose another route from ext_proc: the search route's own upstream is then the aggregate."`
	PublicURL string  `env:"PUBLIC_URL" help:"scheme://host under which clients reach the search route, for OAuth metadata. Empty: from the request."`

	ExtprocListen      string   `env:"EXTPROC_LISTEN" envDefault:"127.0.0.1:9201" help:"Where Envoy's ext_proc filter connects: host:port, or unix:///path. off, or an empty flag: nowhere, for the HTTP door alone."`
	ExtprocCert        string   `env:"EXTPROC_TLS_CERT" form:"FILE" help:"PEM file with the ext_proc listener's certificate chain; read again when it changes. Empty: no TLS."`
	ExtprocKey         string   `env:"EXTPROC_TLS_KEY" form:"FILE" help:"PEM file with the key of --extproc-tls-cert."`
	ExtprocClientCA    string   `env:"EXTPROC_CLIENT_CA" form:"FILE" help:"PEM file of the authorities one of which must have signed Envoy's own certificate; read again when it changes. Empty: Envoy needs none."`
	ExtprocClientNames []string `env:"EXTPROC_CLIENT_NAMES" help:"Names of which Envoy's certificate must have one: DNS names or URIs. Empty: any that --extproc-client-ca has signed." example:"spiffe://example.org/ns/gateway/sa/envoy"`
	ExtprocSocketMode  string   `env:"EXTPROC_SOCKET_MODE" envDefault:"0660" form:"MODE" help:"Permissions of the unix socket of --extproc-listen; who may write may connect."`
	ExtprocSocketGroup string   `env:"EXTPROC_SOCKET_GROUP" form:"GROUP" help:"Group of that socket, a name or a number. Empty: this process's."`
	TLSMinVersion      string   `env:"TLS_MIN_VERSION" envDefault:"1.2" help:"Least version of TLS, of all listeners and upstreams: 1.2 or 1.3."`

	Listen         string   `env:"LISTEN" help:"Where MCP clients connect when no gateway is in front: host:port. Serves the search paths of --routes, /mcp and /mcp/search, and the aggregate paths. Empty: no HTTP door, but for merged servers and an --upstream with a path 127.0.0.1:8092 (see also --port)." example:"127.0.0.1:8092"`
	Port           string   `env:"PORT" plain:"true" help:"Port of the HTTP door on all interfaces, where --listen is empty. Without both, servers of --upstreams are served on port 8092 of all interfaces, those of --config on 127.0.0.1:8092." example:"8092"`
	TokenFile      string   `env:"TOKEN_FILE" form:"FILE" help:"File with the bearer token that clients of the HTTP door must send; read again when it changes. It stays here: nothing of it goes upstream."`
	TLSCert        string   `env:"TLS_CERT" form:"FILE" help:"PEM file with the HTTP door's certificate chain; read again when it changes. Empty: no TLS."`
	TLSKey         string   `env:"TLS_KEY" form:"FILE" help:"PEM file with the key of --tls-cert."`
	TLSClientCA    string   `env:"TLS_CLIENT_CA" form:"FILE" help:"PEM file of the authorities one of which must have signed the certificate of each client of the HTTP door; read again when it changes. Empty: clients need none."`
	AllowedOrigins []string `env:"ALLOWED_ORIGINS" help:"Origins whose pages may connect to --listen: scheme://host or scheme://host:port. Pages of this machine may always, when they use a loopback name." example:"https://app.example.com"`
	AllowedHosts   []string `env:"ALLOWED_HOSTS" help:"Host names under which --listen serves. Empty: any, but on a loopback address its own names alone." example:"tools.example.com"`

	AdminListen string `env:"ADMIN_LISTEN" envDefault:"127.0.0.1:9202" help:"Where /healthz, /readyz and /metrics are served: host:port."`
	AdminPprof  bool   `env:"ADMIN_PPROF" help:"Serve profiles of the program at /debug/pprof/ of the admin listener, for whoever reaches it."`

	ClientProfile sidecar.Profile `env:"CLIENT_PROFILE" envDefault:"standard" help:"Which list of the five tools clients get: standard, or strict-arguments for clients that empty free-form objects (their call tools also take arguments_json, a string). One for the whole deployment."`

	WriteTools      []string `env:"WRITE_TOOLS" help:"Tools that count as writes whatever their server says; names or globs, separated by commas; of merged servers also by the name that the server itself gives. Wins over --read-tools." example:"files_peek_*"`
	ReadTools       []string `env:"READ_TOOLS" help:"Tools without a readOnlyHint that count as read-only; names or globs. Never lifts a tool that says it writes." example:"wiki_get_*"`
	DirectCalls     string   `env:"DIRECT_CALLS" envDefault:"refuse" help:"What happens to a call of a tool by its own name: refuse (with the call tool to use) or relay."`
	CallerHeaders   []string `env:"CALLER_HEADERS" envDefault:"Authorization" help:"Request headers that say who asks; they alone go upstream with listings and batches."`
	SourceSeparator string   `env:"SOURCE_SEPARATOR" help:"What stands between source and tool in a name. Empty: two underscores, else the first of _ - . / if at least two tools share what is before it."`

	SearchSchemas   int    `env:"SEARCH_SCHEMAS" envDefault:"3" help:"How many of the best hits come with their input schema."`
	Embedder        string `env:"EMBEDDER" envDefault:"embedded" help:"Model that finds tools by meaning: embedded (in the binary), none (words alone), or the folder of a Model2Vec model. A folder in --model-dir takes the place of embedded."`
	ModelDir        string `env:"MODEL_DIR" help:"Folder of the large model: fetch-model puts it there, and the other commands use it in place of the embedded one." example:"/var/lib/mcp-toolsearch/model"`
	ModelURL        string `env:"MODEL_URL" help:"Address of a folder with the large model's three files, for fetch-model. Empty: the pinned revision on its hub. Whatever the address, only files with the pinned digests are taken." example:"https://mirror.example.com/potion-multilingual-128M"`
	Overlay         string `env:"OVERLAY" help:"YAML file of what you say about tools: aliases, hide, pin, source; read again when it changes (docs/search.md)." example:"/etc/mcp-toolsearch/overlay.yaml"`
	SearchTokens    int    `env:"SEARCH_TOKENS" envDefault:"8000" help:"Largest answer of search_tools, in tokens of four bytes."`
	MaxInstructions int    `env:"MAX_INSTRUCTIONS" envDefault:"10000" help:"How many characters of the upstream's own instructions are passed on after ours."`

	CatalogTTL      time.Duration `env:"CATALOG_TTL" envDefault:"10m" help:"How long a caller's catalog is used before it is listed again."`
	CatalogMaxStale time.Duration `env:"CATALOG_MAX_STALE" envDefault:"30m" help:"How old a catalog may get while it can't be listed again."`
	ListTimeout     time.Duration `env:"LIST_TIMEOUT" envDefault:"30s" help:"Time for one listing, all pages."`
	MaxPages        int           `env:"MAX_PAGES" envDefault:"100" help:"Pages of one listing."`
	MaxTools        int           `env:"MAX_TOOLS" envDefault:"20000" help:"Tools of one listing."`
	MaxListing      Size          `env:"MAX_LISTING" envDefault:"64MiB" help:"Bytes of one listing. When it isn't set, at most an eighth of the memory limit (GOMEMLIMIT, or nine tenths of the container's)."`
	MaxCallers      int           `env:"MAX_CALLERS" envDefault:"10000" help:"Catalogs kept; the least used goes first."`
	MaxCatalogs     Size          `env:"MAX_CATALOGS" envDefault:"512MiB" help:"Memory of all catalogs. When it isn't set, at most 22 % of the memory limit."`
	MaxListings     int           `env:"MAX_LISTINGS" envDefault:"32" help:"Listings at a time."`
	MaxWaiting      int           `env:"MAX_WAITING_LISTINGS" envDefault:"256" help:"Listings that wait for that, each at most 10 s; who comes then is told to try again (503 with Retry-After)."`
	MaxRequests     int           `env:"MAX_REQUESTS" envDefault:"4096" help:"Requests in work, in all doors together: decisions, batches, and calls that wait for their answer to begin; in the HTTP door until it has ended."`
	MaxStreams      int           `env:"MAX_STREAMS" envDefault:"4096" help:"Event streams through the HTTP door that last until somebody ends them."`
	MaxConnections  int           `env:"MAX_CONNECTIONS" envDefault:"8192" help:"Connections to the HTTP door."`
	MaxBodies       Size          `env:"MAX_BODIES" envDefault:"128MiB" help:"Request bodies held at a time. When it isn't set, at most an eighth of the memory limit."`

	MaxBody       Size          `env:"MAX_BODY" envDefault:"4MiB" help:"Largest request body."`
	MaxEdit       Size          `env:"MAX_EDIT" envDefault:"32000" help:"Largest answer that is edited (instructions, schema of a refused call). Above the gateway's buffer limit a call that succeeded would fail."`
	BatchCalls    int           `env:"BATCH_CALLS" envDefault:"20" help:"Items of one call_read_tools; at most 20, which its schema says."`
	BatchDoor     bool          `env:"BATCH_DOOR" envDefault:"false" help:"Send batches with a progress token from Envoy to --listen, by /batch behind the search path, so that their progress reaches the client. Envoy needs that route (docs/decisions/0003-batches-through-envoy.md)."`
	BatchParallel int           `env:"BATCH_PARALLEL" envDefault:"8" help:"Items of one call_read_tools that run at a time."`
	BatchTimeout  time.Duration `env:"BATCH_TIMEOUT" envDefault:"5m" help:"How long one item of call_read_tools may take; below the gateway's max_message_timeout."`
	MaxAnswer     Size          `env:"MAX_ANSWER" envDefault:"4MiB" help:"Largest answer of one item of call_read_tools."`
	MaxBatch      Size          `env:"MAX_BATCH" envDefault:"8MiB" help:"Largest answer of a whole call_read_tools."`

	DrainNotice  time.Duration `env:"DRAIN_NOTICE" envDefault:"2s" help:"How long the sidecar says that it isn't ready before it stops taking streams; longer than the gateway's health check interval."`
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"20s" help:"How long open streams may take after that."`
	LogLevel     string        `env:"LOG_LEVEL" plain:"true" envDefault:"info" help:"debug, info, warn or error. info has a line for each decision."`
	LogFormat    string        `env:"LOG_FORMAT" envDefault:"text" help:"text or json."`
	MaxProcesses int           `env:"MAX_PROCESSES" envDefault:"16" help:"Processes of one local command of --config that run at once: one for each client's session, one for all requests without. When there are more sessions the longest idle process is ended, and its state is gone."`
	LogStderr    bool          `env:"LOG_SERVER_STDERR" help:"Write what local commands of --config print on stderr to the log: each line at debug level, the last ones when a command ends by itself. It may hold secrets; without it lines are only counted."`

	OTLPEndpoint    string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT" flag:"otlp-endpoint" plain:"true" help:"Where OpenTelemetry traces are sent: scheme://host:port of an OTLP receiver; by HTTP /v1/traces is added. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT counts before it. Empty: no traces." example:"http://collector:4318"`
	OTLPProtocol    string  `env:"OTEL_EXPORTER_OTLP_PROTOCOL" flag:"otlp-protocol" plain:"true" envDefault:"http/protobuf" help:"http/protobuf (usually port 4318) or grpc (4317)."`
	OTLPHeaders     string  `env:"OTEL_EXPORTER_OTLP_HEADERS" flag:"otlp-headers" plain:"true" form:"LIST" help:"Headers sent to the receiver, as name=value,name=value with percent-encoded values. They may hold its key: better in the variable than in the flag."`
	OTLPCA          string  `env:"OTEL_EXPORTER_OTLP_CERTIFICATE" flag:"otlp-ca" plain:"true" form:"FILE" help:"PEM file of the authorities that sign the receiver's certificate, by http/protobuf. Empty: the system's."`
	OTelService     string  `env:"OTEL_SERVICE_NAME" plain:"true" help:"service.name of the traces. Empty: that of --otel-resource-attributes, else mcp-toolsearch."`
	OTelResource    string  `env:"OTEL_RESOURCE_ATTRIBUTES" plain:"true" form:"LIST" help:"Further attributes of the process, as key=value,key=value with percent-encoded values." example:"deployment.environment.name=prod"`
	OTelSampler     string  `env:"OTEL_TRACES_SAMPLER" plain:"true" envDefault:"parentbased_always_on" help:"Which requests are traced: always_on, always_off, traceidratio, or one of these after parentbased_, which counts for requests without a trace of their own only."`
	OTelSamplerArg  float64 `env:"OTEL_TRACES_SAMPLER_ARG" plain:"true" envDefault:"1" help:"The ratio of traceidratio, from 0 to 1."`
	OTelSDKDisabled bool    `env:"OTEL_SDK_DISABLED" plain:"true" help:"No traces, whatever the other settings say."`

	set           map[string]bool   // the variables, without prefix, that have a value from outside
	environ       map[string]string // for the variables in --config
	hostPort      string            // a PORT without the prefix
	wholeUpstream string            // --upstream as it was given, when it had a path
	command       string            // whose settings these are, where it makes a difference
}

const envPrefix = "TOOLSEARCH_"
