import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { LimitName } from '../services/limits/rules.ts';
import type { Permission } from '../services/organizations/rules.ts';
import { type BillingConfig, readBilling } from './billing-config.ts';
import { ConfigError } from './config-error.ts';
import {
  ENVIRONMENT_NAMES,
  type Environment,
  environmentSchema,
  ROLES,
  type Role,
} from './environment-schema.ts';
import { type Registration, readRegistration } from './registration-config.ts';
import { requireRelated } from './require-related.ts';
import { requireSeparatePorts } from './separate-ports.ts';

export type { Role };
export { ConfigError, ENVIRONMENT_NAMES };

/** Validated, typed settings. Built once by {@link loadConfig}; nothing else reads the environment. */
export interface Config {
  development: boolean;
  productName: string;
  publicUrl: string;
  dataDir: string;
  databaseUrl: string;
  objectStoreUrl: string;
  masterKey: string | null;
  roles: ReadonlySet<Role>;
  /** How many edges share the edge's ports on this machine. */
  edgeProcesses: number;
  bindAddress: string | undefined;
  /** For the two roles that a proxy may stand in front of while edges face the internet. */
  consoleBindAddress: string | undefined;
  s3BindAddress: string | undefined;
  /**
   * Where a machine serves its health and metrics, whatever roles it has; null when only a console does.
   */
  healthPort: number | null;
  healthBindAddress: string;
  consolePort: number;
  edgeHttpPort: number;
  edgeHttpsPort: number;
  dnsPort: number;
  /** The port of the S3 service. */
  s3Port: number;
  /** The hostname whose subdomains are buckets, without a port. */
  s3Domain: string;
  /** Where clients reach the S3 service, without a trailing slash. */
  s3Url: string;
  /**
   * Whether a proxy stands in front of this process: true only for the value `true` until a process is
   * narrowed to its role.
   */
  trustProxy: boolean;
  /** The roles behind a proxy; others are reached by strangers, whose headers cannot be trusted. */
  proxiedRoles: ReadonlySet<Role>;
  /** Suffix of platform hostnames, without a port: `{name}.{sitesDomain}`. */
  sitesDomain: string;
  /** Builds the public address of a platform hostname, e.g. `http://blog.sites.localhost:8080`. */
  siteUrl(host: string): string;
  /** Builds the public http address of any hostname the edge serves. */
  plainUrl(host: string): string;
  /** Builds the public https address of any hostname the edge serves, e.g. `https://www.example.ca`. */
  secureUrl(host: string): string;
  /** Suffix of endpoint targets: `{label}.{cnameDomain}`. */
  cnameDomain: string;
  /** Public addresses of the edge, for names that cannot be aliases. */
  edgeAddresses: readonly string[];
  /**
   * Where redirect endpoints may lead: anywhere, or only to hosts of the platform and of the organization.
   */
  redirectTargets: 'any' | 'own';
  /** What takes pictures of sites' front pages: a browser at a path, or one that is found; null where none is to. */
  siteBrowser: { path: string | null } | null;
  /** Suffix of challenge names: `{dns_challenge_id}.{acmeZone}`. */
  acmeZone: string;
  /** The ACME server; null when a local authority of this installation issues certificates. */
  acme: {
    directoryUrl: string;
    contact: string | null;
    externalAccount: { keyId: string; hmacKey: string } | null;
    /** PEM file of the authority that signed the ACME server's own certificate. */
    caFile: string | null;
  } | null;
  /** Recursive resolvers for inspecting customers' records; empty means those of this machine. */
  dnsResolvers: readonly string[];
  /** Names of our name servers, as the parent zones delegate to them. */
  dnsNameServers: readonly string[];
  /**
   * The operator's own name server, which accepts challenge records by RFC 2136; null when the DNS role
   * answers them.
   */
  dnsUpdateUrl: string | null;
  oidc: { issuer: string; clientId: string; clientSecret: string | null } | null;
  /** How organizations are read from a `groups` claim; meant for issuers that are not code hosts. */
  oidcGroups: { prefix: string; permission: Permission };
  /** A Forgejo-like code host that is also the issuer; organizations come from its API. No trailing slash. */
  codeHostUrl: string | null;
  /** Who may register on this installation. */
  registration: Registration;
  /** The mail server; null when no email is sent. */
  mail: { url: string; from: string } | null;
  links: {
    signUp: string | null;
    terms: string | null;
    privacy: string | null;
    acceptableUse: string | null;
  };
  billingMode: 'off' | 'sandbox' | 'stripe';
  billing: BillingConfig;
  defaultFeatures: readonly string[];
  /** Issuers of CI identity tokens that are accepted, without a trailing slash. */
  ciIssuers: readonly string[];
  /** Networks besides the public internet that webhooks may reach. */
  webhookNetworks: readonly string[];
  logLevel: string;
  /** Which requests are logged, and where; null is standard output. */
  accessLog: { doors: ReadonlySet<string>; file: string | null; hasWholeAddresses: boolean };
  metricsToken: string | null;
  /** Per person, credential, operator or address, over REST and tRPC together. */
  apiRequestsPerMinute: number;
  /** Per organization, by all of its people and programs: each change stays in its audit log for a year. */
  changesPerHour: number;
  /** For all listeners of one process together; never more than half of the files it may have open. */
  connectionsMax: number;
  /** How long a stop leaves idle connections open for requests that are in transit. */
  stopGraceMs: number;
  /**
   * Per address, over console and edge together; behind a proxy, concurrent requests at the console instead.
   */
  connectionsPerAddress: number;
  /**
   * Free space that uploads leave unused on the disks they are written to; null for a fraction of each disk.
   */
  diskReserveBytes: number | null;
  deployLimits: { filesMax: number; fileBytesMax: number; versionBytesMax: number; pathBytesMax: number };
  /** The file with the milliseconds by which a test has moved the clock; null outside tests. */
  testClockFile: string | null;
  /** The default limits of an organization, unless an operator has set others for it. */
  organizationLimits: Readonly<Record<LimitName, number>>;
  /** How many organizations one person may own, and in how many browsers be signed in. */
  personLimits: { organizationsMax: number; sessionsMax: number };
}

/**
 * Returns the settings from environment variables. Empty variables count as absent.
 * @throws ConfigError with one sentence naming the first variable that cannot be used; values are never
 * echoed, because they may be secrets.
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const { env, present } = readEnvironment(environment);
  requireRelated(env, present);
  requireSeparatePorts(env);
  const dataDir = resolve(env.DATA_DIR);
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.CONSOLE_PORT}`;
  return {
    development: env.NODE_ENV === 'development',
    productName: env.PRODUCT_NAME,
    publicUrl,
    dataDir,
    databaseUrl: parseDatabaseUrl(env.DATABASE_URL, dataDir),
    objectStoreUrl: parseObjectStoreUrl(env.OBJECT_STORE_URL, dataDir),
    masterKey: env.MASTER_KEY ?? null,
    roles: new Set(env.ROLES),
    edgeProcesses: edgeProcessesOf(env),
    bindAddress: env.BIND_ADDRESS,
    consoleBindAddress: env.CONSOLE_BIND_ADDRESS ?? env.BIND_ADDRESS,
    healthPort: env.HEALTH_PORT ?? null,
    healthBindAddress: env.HEALTH_BIND_ADDRESS,
    s3BindAddress: env.S3_BIND_ADDRESS ?? env.BIND_ADDRESS,
    consolePort: env.CONSOLE_PORT,
    edgeHttpPort: env.EDGE_HTTP_PORT,
    edgeHttpsPort: env.EDGE_HTTPS_PORT,
    dnsPort: env.DNS_PORT,
    s3Port: env.S3_PORT,
    s3Domain: env.S3_DOMAIN,
    s3Url: env.S3_URL ?? `http://${env.S3_DOMAIN}:${env.S3_PORT}`,
    trustProxy: env.TRUST_PROXY === true,
    proxiedRoles: new Set(proxiedRolesOf(env)),
    sitesDomain: env.SITES_DOMAIN,
    ...addressesOf(env),
    cnameDomain: env.CNAME_DOMAIN,
    edgeAddresses: env.EDGE_ADDRESSES,
    redirectTargets: env.REDIRECT_TARGETS,
    siteBrowser: env.SITE_PICTURES === 'off' ? null : { path: env.BROWSER_PATH ?? null },
    acmeZone: env.ACME_ZONE,
    acme: acmeOf(env),
    dnsResolvers: env.DNS_RESOLVERS,
    dnsNameServers: env.DNS_NAME_SERVERS,
    dnsUpdateUrl: env.DNS_UPDATE_URL ?? null,
    oidc: oidcOf(env),
    oidcGroups: { prefix: env.OIDC_GROUP_PREFIX ?? '', permission: env.OIDC_GROUP_PERMISSION },
    codeHostUrl: env.CODE_HOST_URL ?? null,
    registration: readRegistration(env, publicUrl),
    mail: env.MAIL_URL && env.MAIL_FROM ? { url: env.MAIL_URL, from: env.MAIL_FROM } : null,
    links: {
      signUp: env.SIGN_UP_URL ?? null,
      terms: env.TERMS_URL ?? null,
      privacy: env.PRIVACY_URL ?? null,
      acceptableUse: env.ACCEPTABLE_USE_URL ?? null,
    },
    billingMode: env.BILLING_MODE,
    billing: readBilling(env),
    defaultFeatures: env.DEFAULT_FEATURES,
    ciIssuers: env.CI_ISSUERS,
    webhookNetworks: env.WEBHOOK_NETWORKS,
    logLevel: env.LOG_LEVEL,
    accessLog: {
      doors: new Set(env.ACCESS_LOG),
      file: env.ACCESS_LOG_FILE ?? null,
      hasWholeAddresses: env.ACCESS_LOG_ADDRESSES === 'whole',
    },
    metricsToken: env.METRICS_TOKEN ?? null,
    apiRequestsPerMinute: env.API_REQUESTS_PER_MINUTE,
    changesPerHour: env.CHANGES_PER_HOUR,
    connectionsMax: env.CONNECTIONS_MAX,
    stopGraceMs: env.STOP_GRACE_SECONDS * 1000,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    diskReserveBytes: env.DISK_RESERVE_BYTES ?? null,
    deployLimits: {
      filesMax: env.DEPLOY_MAX_FILES,
      fileBytesMax: env.DEPLOY_MAX_FILE_BYTES,
      versionBytesMax: env.DEPLOY_MAX_VERSION_BYTES,
      pathBytesMax: 1024,
    },
    testClockFile: env.TEST_CLOCK_FILE ?? null,
    organizationLimits: organizationLimitsOf(env),
    personLimits: {
      organizationsMax: env.LIMIT_ORGANIZATIONS_OF_PERSON,
      sessionsMax: env.LIMIT_SESSIONS_OF_PERSON,
    },
  };
}

/** Returns the settings with their defaults, and those that are present. @throws ConfigError */
function readEnvironment(environment: Record<string, string | undefined>): {
  env: Environment;
  present: Partial<Record<string, string>>;
} {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(
      `${String(issue?.path[0] ?? 'The environment')} cannot be used: ${issue?.message ?? 'it is invalid'}.`,
    );
  }
  return { env: parsed.data, present };
}

/** Where visitors reach what the edge serves, as something in front of it may map it. */
function addressesOf(env: Environment): Pick<Config, 'siteUrl' | 'plainUrl' | 'secureUrl'> {
  const scheme = env.SITES_URL_SCHEME ?? 'http';
  const securePort = env.EDGE_HTTPS_URL_PORT ?? env.EDGE_HTTPS_PORT;
  const urlPort = env.SITES_URL_PORT ?? (scheme === 'https' ? securePort : env.EDGE_HTTP_PORT);
  const plainPort = scheme === 'http' ? urlPort : env.EDGE_HTTP_PORT;
  return {
    siteUrl: (host) => publicAddress(scheme, host, urlPort),
    plainUrl: (host) => publicAddress('http', host, plainPort),
    secureUrl: (host) => publicAddress('https', host, securePort),
  };
}

function acmeOf(env: Environment): Config['acme'] {
  if (!env.ACME_DIRECTORY_URL) return null;
  const { ACME_EAB_KID: keyId, ACME_EAB_HMAC: hmacKey } = env;
  return {
    directoryUrl: env.ACME_DIRECTORY_URL,
    contact: env.ACME_CONTACT ?? null,
    externalAccount: keyId && hmacKey ? { keyId, hmacKey } : null,
    caFile: env.ACME_CA_FILE ?? null,
  };
}

function oidcOf(env: Environment): Config['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
  return issuer && clientId ? { issuer, clientId, clientSecret: clientSecret ?? null } : null;
}

function organizationLimitsOf(env: Environment): Config['organizationLimits'] {
  return {
    sites: env.LIMIT_SITES,
    versions: env.LIMIT_VERSIONS,
    open_versions: env.LIMIT_OPEN_VERSIONS,
    stored_files: env.LIMIT_STORED_FILES,
    stored_bytes: env.LIMIT_STORED_BYTES,
    endpoints: env.LIMIT_ENDPOINTS,
    buckets: env.LIMIT_BUCKETS,
    bucket_bytes: env.LIMIT_BUCKET_BYTES,
    bucket_objects: env.LIMIT_BUCKET_OBJECTS,
    credentials: env.LIMIT_CREDENTIALS,
    members: env.LIMIT_MEMBERS,
    invitations: env.LIMIT_INVITATIONS,
  };
}

/** @throws ConfigError when one process would have to trust some of its clients and not others */
function proxiedRolesOf(env: Environment): readonly Role[] {
  if (typeof env.TRUST_PROXY === 'boolean') return env.TRUST_PROXY ? ROLES : [];
  if (env.PROCESSES === 'single' || env.NODE_ENV === 'development') {
    throw new ConfigError(
      'TRUST_PROXY cannot be used: it names roles, but all roles run in one process here. Set true or false.',
    );
  }
  return env.TRUST_PROXY;
}

/** A process with all parts has one edge. */
function edgeProcessesOf(env: Environment): number {
  if (env.PROCESSES === 'single' || env.NODE_ENV === 'development') return 1;
  return env.EDGE_PROCESSES === 'auto' ? availableParallelism() : env.EDGE_PROCESSES;
}

function publicAddress(scheme: 'http' | 'https', host: string, port: number): string {
  const isDefault = port === (scheme === 'http' ? 80 : 443);
  return `${scheme}://${host}${isDefault ? '' : `:${port}`}`;
}

/** `sqlite:{path}` or `postgres://…`; the default is a file in the data directory. */
function parseDatabaseUrl(value: string | undefined, dataDir: string): string {
  if (value === undefined) return `sqlite:${join(dataDir, 'portage.sqlite')}`;
  if (value.startsWith('sqlite:')) return value;
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(value)?.[1];
  if (authority === undefined) {
    throw new ConfigError('DATABASE_URL cannot be used: it must begin with postgres:// or sqlite:.');
  }
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) {
    throw new ConfigError(
      'DATABASE_URL cannot be used: it names several hosts. Name one whose address follows the primary server.',
    );
  }
  // As node-postgres reads it, which accepts spaces, and no host for a socket.
  const readable = encodeURI(value).replaceAll('%25', '%').replace('@/', '@localhost/');
  if (!URL.canParse(readable, 'postgres://localhost')) {
    throw new ConfigError(
      'DATABASE_URL cannot be used: it is no address of the form postgres://user:password@host/database.',
    );
  }
  return value;
}

/**
 * `file:{directory}` or `s3://key:secret@host/bucket?region=…`; the default is a directory in the data
 * directory.
 */
function parseObjectStoreUrl(value: string | undefined, dataDir: string): string {
  if (value === undefined) return `file:${join(dataDir, 'blobs')}`;
  if (value.startsWith('s3://') && URL.canParse(value)) return value;
  if (value.startsWith('file:')) return value;
  if (value.startsWith('/') || value.startsWith('.')) return `file:${resolve(value)}`;
  throw new ConfigError('OBJECT_STORE_URL cannot be used: it must be a directory or begin with s3://.');
}
