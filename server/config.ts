import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type BillingConfig, readBilling } from './billing-config.ts';
import { ConfigError } from './config-error.ts';
import type { LimitName } from './services/limits/rules.ts';
import { FEATURES } from './services/operator/rules.ts';
import type { Permission } from './services/organizations/rules.ts';

/** The roles one process can play; any subset may run on another machine. */
export const ROLES = ['console', 'edge', 's3', 'dns', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

export { ConfigError };

const port = z.coerce.number().int().min(0).max(65535);
const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/(?<!\/)\/+$/, ''));
const optionalUrl = url.optional();
/** Of pages and services that are the only ones at their host: what they answer names addresses from the root on. */
const origin = url.refine((value) => {
  const { pathname, search, hash, username, password } = new URL(value);
  return pathname === '/' && search + hash + username + password === '';
}, 'must be a scheme, a host and at most a port, such as https://console.example.ca, without a path');
const hostname = z
  .string()
  .toLowerCase()
  .regex(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/, 'must be a host name such as sites.example.ca');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);
/** A domain name without a port, below which this installation makes names of its own. */
const zone = hostname.refine((value) => !value.includes(':'), 'must be a domain name without a port');
const addresses = list.pipe(z.array(z.union([z.ipv4(), z.ipv6()], 'must be IP addresses')));
/** `address` or `address:port`, IPv6 with a port in brackets, as node's resolver takes them. */
const resolvers = list.pipe(
  z.array(
    z
      .string()
      .refine(
        (value) => readResolver(value) !== null,
        'must be IP addresses such as 192.0.2.53 or 127.0.0.1:5353',
      ),
  ),
);
/** An edge gives up on answers ten seconds after it was asked to stop; the grace ends before. */
const STOP_GRACE_SECONDS_MAX = 9;
/** More than any machine has cores for; each costs memory. */
const EDGE_PROCESSES_MAX = 256;
const wholeNumber = z.coerce.number().int().positive();

/** Every environment variable that is read, with its rule and its default: the one place where defaults live. */
const environmentSchema = z.object({
  NODE_ENV: z.string().default('production'),
  ENV_FILE: z.string().optional(),
  PUBLIC_URL: origin.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.string().optional(),
  OBJECT_STORE_URL: z.string().optional(),
  MASTER_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32 bytes in base64')
    .optional(),
  ROLES: list.pipe(z.array(z.enum(ROLES)).min(1)).default([...ROLES]),
  PROCESSES: z.enum(['auto', 'single']).default('auto'),
  EDGE_PROCESSES: z
    .union([z.literal('auto'), wholeNumber.max(EDGE_PROCESSES_MAX)], 'must be auto or a number up to 256')
    .default('auto'),
  CONSOLE_PORT: port.default(3000),
  EDGE_HTTP_PORT: port.default(8080),
  EDGE_HTTPS_PORT: port.default(8443),
  EDGE_HTTPS_URL_PORT: port.optional(),
  DNS_PORT: port.default(5353),
  S3_PORT: port.default(9000),
  S3_DOMAIN: hostname.default('s3.localhost'),
  S3_URL: origin.optional(),
  BIND_ADDRESS: z.string().optional(),
  SITES_DOMAIN: hostname.default('sites.localhost'),
  SITES_URL_PORT: port.optional(),
  SITES_URL_SCHEME: z.enum(['http', 'https']).optional(),
  CNAME_DOMAIN: zone.default('edge.localhost'),
  EDGE_ADDRESSES: addresses.default([]),
  REDIRECT_TARGETS: z.enum(['any', 'own']).default('any'),
  ACME_ZONE: zone.default('acme.localhost'),
  ACME_DIRECTORY_URL: z.url({ protocol: /^https?$/ }).optional(),
  ACME_CONTACT: z.email().optional(),
  ACME_EAB_KID: z.string().optional(),
  ACME_EAB_HMAC: z
    .string()
    .regex(/^[A-Za-z0-9_-]+={0,2}$/, 'must be base64url')
    .optional(),
  ACME_CA_FILE: z.string().optional(),
  DNS_RESOLVERS: resolvers.default([]),
  DNS_NAME_SERVERS: list.pipe(z.array(zone)).default([]),
  DNS_UPDATE_URL: z.string().startsWith('dns://', 'must begin with dns://').optional(),
  OIDC_ISSUER: optionalUrl,
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_GROUP_PREFIX: z.string().max(100).optional(),
  OIDC_GROUP_PERMISSION: z.enum(['read', 'write', 'admin', 'owner']).default('write'),
  CODE_HOST_URL: optionalUrl,
  MAIL_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z
    .string()
    .max(300)
    .regex(/^[^\r\n]*$/, 'must be one line')
    .regex(/[^\s@]@[^\s@]/, 'must be an address such as Portage <no-reply@example.ca>')
    .optional(),
  SIGN_UP_URL: optionalUrl,
  TERMS_URL: optionalUrl,
  PRIVACY_URL: optionalUrl,
  ACCEPTABLE_USE_URL: optionalUrl,
  BILLING_MODE: z.enum(['off', 'sandbox', 'stripe']).default('sandbox'),
  STRIPE_SECRET_KEY: z.string().max(300).optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().max(300).optional(),
  STRIPE_WEBHOOK_SECRET: list
    .pipe(z.array(z.string().startsWith('whsec_', 'must begin with whsec_')).max(2))
    .default([]),
  TAX_REGISTRATIONS: list.default([]),
  SELLER_NAME: z.string().min(1).max(100).optional(),
  SELLER_ADDRESS: z.string().max(300).default(''),
  DEFAULT_FEATURES: list
    .pipe(z.array(z.enum(FEATURES, `must be of ${FEATURES.join(', ')}`)))
    .default(['object_storage']),
  PRODUCT_NAME: z.string().min(1).max(40).default('Portage'),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  TRUST_PROXY: z.stringbool().default(false),
  METRICS_TOKEN: z.string().min(16).optional(),
  API_REQUESTS_PER_MINUTE: wholeNumber.default(3000),
  CHANGES_PER_HOUR: wholeNumber.default(3000),
  CONNECTIONS_MAX: wholeNumber.default(20_000),
  STOP_GRACE_SECONDS: z.coerce.number().min(0).max(STOP_GRACE_SECONDS_MAX).default(2),
  CONNECTIONS_PER_ADDRESS: wholeNumber.default(500),
  DEPLOY_MAX_FILES: wholeNumber.default(100_000),
  DEPLOY_MAX_FILE_BYTES: wholeNumber.default(500 * 1024 ** 2),
  DEPLOY_MAX_VERSION_BYTES: wholeNumber.default(5 * 1024 ** 3),
  DISK_RESERVE_BYTES: wholeNumber.optional(),
  TEST_CLOCK_FILE: z.string().optional(),
  LIMIT_SITES: wholeNumber.default(500),
  LIMIT_VERSIONS: wholeNumber.default(20_000),
  LIMIT_OPEN_VERSIONS: wholeNumber.default(50),
  LIMIT_STORED_FILES: wholeNumber.default(10_000_000),
  LIMIT_STORED_BYTES: wholeNumber.default(50 * 1024 ** 3),
  LIMIT_ENDPOINTS: wholeNumber.default(500),
  LIMIT_BUCKETS: wholeNumber.default(100),
  LIMIT_BUCKET_BYTES: wholeNumber.default(1024 ** 4),
  LIMIT_CREDENTIALS: wholeNumber.default(500),
  LIMIT_MEMBERS: wholeNumber.default(1000),
  LIMIT_INVITATIONS: wholeNumber.default(200),
  LIMIT_ORGANIZATIONS_OF_PERSON: wholeNumber.default(50),
  LIMIT_SESSIONS_OF_PERSON: wholeNumber.default(50),
});

/** The names of every variable that is read. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(environmentSchema.shape);

/** Decided, typed settings. Built once by {@link loadConfig}; nothing else reads the environment. */
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
  consolePort: number;
  edgeHttpPort: number;
  edgeHttpsPort: number;
  dnsPort: number;
  /** Of the S3 service. */
  s3Port: number;
  /** The host name whose subdomains are buckets, without a port. */
  s3Domain: string;
  /** Where clients reach the S3 service, without a slash at the end. */
  s3Url: string;
  trustProxy: boolean;
  /** Suffix of platform host names, with no port: `{name}.{sitesDomain}`. */
  sitesDomain: string;
  /** Builds the public address of a platform host name, e.g. `http://blog.sites.localhost:8080`. */
  siteUrl(host: string): string;
  /** Builds the public http address of any host name the edge serves. */
  plainUrl(host: string): string;
  /** Builds the public https address of any host name the edge serves, e.g. `https://www.example.ca`. */
  secureUrl(host: string): string;
  /** Suffix of endpoint targets: `{label}.{cnameDomain}`. */
  cnameDomain: string;
  /** Public addresses of the edge, for names that cannot be aliases. */
  edgeAddresses: readonly string[];
  /** Where redirect endpoints may lead: anywhere, or only to hosts of the platform and of the organization. */
  redirectTargets: 'any' | 'own';
  /** Suffix of challenge names: `{dns_challenge_id}.{acmeZone}`. */
  acmeZone: string;
  /** The ACME server; null where a local authority of this installation issues. */
  acme: {
    directoryUrl: string;
    contact: string | null;
    externalAccount: { keyId: string; hmacKey: string } | null;
    /** PEM file of the authority that signed the ACME server's own certificate. */
    caFile: string | null;
  } | null;
  /** Recursive resolvers asked about customers' records; empty means those of this machine. */
  dnsResolvers: readonly string[];
  /** Names of our name servers, as the parent zones delegate to them. */
  dnsNameServers: readonly string[];
  /** The operator's own name server, which takes challenge records by RFC 2136; null where the DNS role answers them. */
  dnsUpdateUrl: string | null;
  oidc: { issuer: string; clientId: string; clientSecret: string | null } | null;
  /** How organizations are read from a `groups` claim; meant for issuers that are no code host. */
  oidcGroups: { prefix: string; permission: Permission };
  /** A Forgejo-shaped code host that is the issuer too; organizations come from its API. No slash at the end. */
  codeHostUrl: string | null;
  /** Where e-mail is handed over; null where none is sent. */
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
  logLevel: string;
  metricsToken: string | null;
  /** Of one person, credential, operator or address, through REST and tRPC together. */
  apiRequestsPerMinute: number;
  /** Of the people and programs of one organization: each stays in its audit log for a year. */
  changesPerHour: number;
  /** At all doors of one process together; never more than half of the files it may have open. */
  connectionsMax: number;
  /** How long a stop leaves idle connections open for requests that are on their way. */
  stopGraceMs: number;
  /** Of one address at console and edge together; behind a proxy requests under way at the console instead. */
  connectionsPerAddress: number;
  /** Free space that uploads leave alone on the disks they are written to; null for a part of each disk. */
  diskReserveBytes: number | null;
  deployLimits: { filesMax: number; fileBytesMax: number; versionBytesMax: number; pathBytesMax: number };
  /** Milliseconds by which a test has moved the clock; null outside of tests. */
  testClockFile: string | null;
  /** What an organization may have of everything, unless an operator has set something else for it. */
  organizationLimits: Readonly<Record<LimitName, number>>;
  /** How many organizations one person may own, and in how many browsers be signed in. */
  personLimits: { organizationsMax: number; sessionsMax: number };
}

/**
 * Returns the settings decided from environment variables. Empty variables count as absent.
 * @throws ConfigError with one sentence naming the first variable that cannot be used; values are never echoed,
 * since they may be secrets.
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
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
  const env = parsed.data;
  if (env.OIDC_ISSUER && !env.OIDC_CLIENT_ID) {
    throw new ConfigError('OIDC_CLIENT_ID cannot be used: it is required when OIDC_ISSUER is set.');
  }
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
    if (!env[name] || env.OIDC_ISSUER) continue;
    throw new ConfigError(
      `${name} cannot be used: it needs OIDC_ISSUER. Without an issuer people sign in with accounts of this installation.`,
    );
  }
  if (env.CODE_HOST_URL && !env.OIDC_ISSUER) {
    throw new ConfigError(
      'CODE_HOST_URL cannot be used: it needs OIDC_ISSUER, the sign-in of the same code host.',
    );
  }
  if (env.MAIL_URL && !env.MAIL_FROM) {
    throw new ConfigError('MAIL_FROM cannot be used: it is required when MAIL_URL is set.');
  }
  if (env.ACME_DIRECTORY_URL && !present.ACME_ZONE) {
    throw new ConfigError('ACME_ZONE cannot be used: it is required when ACME_DIRECTORY_URL is set.');
  }
  if (env.TEST_CLOCK_FILE && (env.NODE_ENV !== 'test' || env.BILLING_MODE === 'stripe')) {
    throw new ConfigError(
      'TEST_CLOCK_FILE cannot be used: it moves the clock in tests (NODE_ENV=test), and never where money is collected.',
    );
  }
  if (Boolean(env.ACME_EAB_KID) !== Boolean(env.ACME_EAB_HMAC)) {
    throw new ConfigError('ACME_EAB_HMAC cannot be used: ACME_EAB_KID and ACME_EAB_HMAC go together.');
  }
  const dataDir = resolve(env.DATA_DIR);
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.CONSOLE_PORT}`;
  const scheme = env.SITES_URL_SCHEME ?? 'http';
  const securePort = env.EDGE_HTTPS_URL_PORT ?? env.EDGE_HTTPS_PORT;
  const urlPort = env.SITES_URL_PORT ?? (scheme === 'https' ? securePort : env.EDGE_HTTP_PORT);
  const plainPort = scheme === 'http' ? urlPort : env.EDGE_HTTP_PORT;
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
    consolePort: env.CONSOLE_PORT,
    edgeHttpPort: env.EDGE_HTTP_PORT,
    edgeHttpsPort: env.EDGE_HTTPS_PORT,
    dnsPort: env.DNS_PORT,
    s3Port: env.S3_PORT,
    s3Domain: env.S3_DOMAIN,
    s3Url: env.S3_URL ?? `http://${env.S3_DOMAIN}:${env.S3_PORT}`,
    trustProxy: env.TRUST_PROXY,
    sitesDomain: env.SITES_DOMAIN,
    siteUrl: (host) => publicAddress(scheme, host, urlPort),
    plainUrl: (host) => publicAddress('http', host, plainPort),
    secureUrl: (host) => publicAddress('https', host, securePort),
    cnameDomain: env.CNAME_DOMAIN,
    edgeAddresses: env.EDGE_ADDRESSES,
    redirectTargets: env.REDIRECT_TARGETS,
    acmeZone: env.ACME_ZONE,
    acme: env.ACME_DIRECTORY_URL
      ? {
          directoryUrl: env.ACME_DIRECTORY_URL,
          contact: env.ACME_CONTACT ?? null,
          externalAccount:
            env.ACME_EAB_KID && env.ACME_EAB_HMAC
              ? { keyId: env.ACME_EAB_KID, hmacKey: env.ACME_EAB_HMAC }
              : null,
          caFile: env.ACME_CA_FILE ?? null,
        }
      : null,
    dnsResolvers: env.DNS_RESOLVERS,
    dnsNameServers: env.DNS_NAME_SERVERS,
    dnsUpdateUrl: env.DNS_UPDATE_URL ?? null,
    oidc:
      env.OIDC_ISSUER && env.OIDC_CLIENT_ID
        ? {
            issuer: env.OIDC_ISSUER,
            clientId: env.OIDC_CLIENT_ID,
            clientSecret: env.OIDC_CLIENT_SECRET ?? null,
          }
        : null,
    oidcGroups: { prefix: env.OIDC_GROUP_PREFIX ?? '', permission: env.OIDC_GROUP_PERMISSION },
    codeHostUrl: env.CODE_HOST_URL ?? null,
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
    logLevel: env.LOG_LEVEL,
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
    organizationLimits: {
      sites: env.LIMIT_SITES,
      versions: env.LIMIT_VERSIONS,
      open_versions: env.LIMIT_OPEN_VERSIONS,
      stored_files: env.LIMIT_STORED_FILES,
      stored_bytes: env.LIMIT_STORED_BYTES,
      endpoints: env.LIMIT_ENDPOINTS,
      buckets: env.LIMIT_BUCKETS,
      bucket_bytes: env.LIMIT_BUCKET_BYTES,
      credentials: env.LIMIT_CREDENTIALS,
      members: env.LIMIT_MEMBERS,
      invitations: env.LIMIT_INVITATIONS,
    },
    personLimits: {
      organizationsMax: env.LIMIT_ORGANIZATIONS_OF_PERSON,
      sessionsMax: env.LIMIT_SESSIONS_OF_PERSON,
    },
  };
}

/** A process that plays everything has one edge. */
function edgeProcessesOf(env: z.infer<typeof environmentSchema>): number {
  if (env.PROCESSES === 'single' || env.NODE_ENV === 'development') return 1;
  return env.EDGE_PROCESSES === 'auto' ? availableParallelism() : env.EDGE_PROCESSES;
}

function publicAddress(scheme: 'http' | 'https', host: string, port: number): string {
  const isDefault = port === (scheme === 'http' ? 80 : 443);
  return `${scheme}://${host}${isDefault ? '' : `:${port}`}`;
}

/** The address of a resolver without its port, or null when it is none. */
function readResolver(value: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(value)?.[1];
  const address = bracketed ?? (isIP(value) === 6 ? value : value.replace(/:\d{1,5}$/, ''));
  return isIP(address) === 0 ? null : address;
}

/** `sqlite:{path}` or `postgres://…`; the default is a file in the data directory. */
function parseDatabaseUrl(value: string | undefined, dataDir: string): string {
  if (value === undefined) return `sqlite:${join(dataDir, 'portage.sqlite')}`;
  if (/^(postgres|postgresql):\/\//.test(value) || value.startsWith('sqlite:')) return value;
  throw new ConfigError('DATABASE_URL cannot be used: it must begin with postgres:// or sqlite:.');
}

/** `file:{directory}` or `s3://key:secret@host/bucket?region=…`; the default is a directory in the data directory. */
function parseObjectStoreUrl(value: string | undefined, dataDir: string): string {
  if (value === undefined) return `file:${join(dataDir, 'blobs')}`;
  if (value.startsWith('s3://') && URL.canParse(value)) return value;
  if (value.startsWith('file:')) return value;
  if (value.startsWith('/') || value.startsWith('.')) return `file:${resolve(value)}`;
  throw new ConfigError('OBJECT_STORE_URL cannot be used: it must be a directory or begin with s3://.');
}
