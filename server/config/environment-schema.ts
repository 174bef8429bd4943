import { isIP } from 'node:net';
import { z } from 'zod';
import { FEATURES } from '../services/operator/rules.ts';
import { DATA_DIR_DEFAULT } from './data-dir.ts';

/** The roles a process can have; any subset may run on another machine. */
export const ROLES = ['console', 'edge', 's3', 'dns', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

const portProblem = 'must be a port from 0 to 65535';
const port = z.coerce.number(portProblem).int(portProblem).min(0, portProblem).max(65535, portProblem);
const webAddress = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as https://www.example.ca',
});
const url = webAddress.transform((value) => value.replace(/(?<!\/)\/+$/, ''));
const optionalUrl = url.optional();
/** For pages and services that are alone at their host: their responses contain addresses from the root. */
const origin = url.refine((value) => {
  const { pathname, search, hash, username, password } = new URL(value);
  return pathname === '/' && search + hash + username + password === '';
}, 'must be a scheme, a host and at most a port, such as https://console.example.ca, without a path');
const hostname = z
  .string()
  .toLowerCase()
  .regex(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/, 'must be a hostname such as sites.example.ca');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);
/** A domain name without a port, below which this installation creates its own names. */
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
/** An edge abandons responses ten seconds after a stop was requested; the grace period ends before that. */
const STOP_GRACE_SECONDS_MAX = 9;
/** More than any machine has cores for; each costs memory. */
const EDGE_PROCESSES_MAX = 256;
const numberProblem = 'must be a whole number above 0';
const wholeNumber = z.coerce.number(numberProblem).int(numberProblem).positive(numberProblem);

/** Every environment variable that is read, with its rule and its default: the one place for defaults. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().default('production'),
  ENV_FILE: z.string().optional(),
  PUBLIC_URL: origin.optional(),
  DATA_DIR: z.string().default(DATA_DIR_DEFAULT),
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
  CONSOLE_BIND_ADDRESS: z.string().optional(),
  S3_BIND_ADDRESS: z.string().optional(),
  HEALTH_PORT: port.optional(),
  HEALTH_BIND_ADDRESS: z.string().default('127.0.0.1'),
  SITES_DOMAIN: hostname.default('sites.localhost'),
  SITES_URL_PORT: port.optional(),
  SITES_URL_SCHEME: z.enum(['http', 'https']).optional(),
  CNAME_DOMAIN: zone.default('edge.localhost'),
  EDGE_ADDRESSES: addresses.default([]),
  SITE_PICTURES: z.enum(['auto', 'off']).default('auto'),
  BROWSER_PATH: z.string().startsWith('/', 'must be an absolute path').optional(),
  REDIRECT_TARGETS: z.enum(['any', 'own']).default('any'),
  ACME_ZONE: zone.default('acme.localhost'),
  ACME_DIRECTORY_URL: webAddress.optional(),
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
  CI_ISSUERS: list
    .pipe(z.array(url))
    .default(['https://token.actions.githubusercontent.com', 'https://gitlab.com']),
  WEBHOOK_NETWORKS: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks such as 10.0.0.0/8' })))
    .default([]),
  OIDC_ISSUER: optionalUrl,
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_GROUP_PREFIX: z.string().max(100).optional(),
  OIDC_GROUP_PERMISSION: z.enum(['read', 'write', 'admin', 'owner']).default('write'),
  CODE_HOST_URL: optionalUrl,
  MAIL_URL: z
    .url({
      protocol: /^smtps?$/,
      error: 'must be an address such as smtp://user:password@mail.example.ca:587',
    })
    .optional(),
  MAIL_FROM: z
    .string()
    .max(300)
    .regex(/^[^\r\n]*$/, 'must be one line')
    .regex(/[^\s@]@[^\s@]/, 'must be an address such as Portage <no-reply@example.ca>')
    .optional(),
  REGISTRATION: list.optional(),
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
  STORAGE_PRICE_CENTS_PER_GB_MONTH: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, 'must be cents such as 2.3, with three decimals at most')
    .transform(Number)
    .default(0),
  DEFAULT_FEATURES: list
    .pipe(z.array(z.enum(FEATURES, `must be of ${FEATURES.join(', ')}`)))
    .default(['object_storage']),
  PRODUCT_NAME: z.string().min(1).max(40).default('Portage'),
  ACCESS_LOG: list
    .pipe(z.array(z.enum(['edge', 'console', 's3'], 'must be of edge, console and s3')))
    .default([]),
  ACCESS_LOG_FILE: z.string().min(1).optional(),
  ACCESS_LOG_ADDRESSES: z.enum(['short', 'whole']).default('short'),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  TRUST_PROXY: z
    .union(
      [z.stringbool(), list.pipe(z.array(z.enum(ROLES)).min(1))],
      `must be true, false or roles of ${ROLES.join(', ')}`,
    )
    .default(false),
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
  LIMIT_BUCKET_OBJECTS: wholeNumber.default(10_000_000),
  LIMIT_CREDENTIALS: wholeNumber.default(500),
  LIMIT_MEMBERS: wholeNumber.default(1000),
  LIMIT_INVITATIONS: wholeNumber.default(200),
  LIMIT_ORGANIZATIONS_OF_PERSON: wholeNumber.default(50),
  LIMIT_SESSIONS_OF_PERSON: wholeNumber.default(50),
});

export type Environment = z.infer<typeof environmentSchema>;

/** The names of every variable that is read. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(environmentSchema.shape);

/** The address of a resolver without its port, or null when it is not an address. */
function readResolver(value: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(value)?.[1];
  const address = bracketed ?? (isIP(value) === 6 ? value : value.replace(/:\d{1,5}$/, ''));
  return isIP(address) === 0 ? null : address;
}
