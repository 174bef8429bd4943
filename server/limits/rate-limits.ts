import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.ts';
import { type EventWindow, EventWindows, hashOf } from './event-windows.ts';
import { readForwardedAddress } from './read-forwarded-address.ts';

/** How many times something may happen for one key in a window: the one place for limits. */
const RATE_LIMITS = {
  /** Attempts to sign in with a password, right or wrong, from one address. */
  sign_in_address: { points: 60, seconds: 300 },
  /** Wrong passwords for one email address from one address: no one elsewhere can lock the owner out. */
  sign_in_account: { points: 10, seconds: 900 },
  /** Wrong passwords for one email address from anywhere, except from browsers that have signed in to it. */
  sign_in_account_anywhere: { points: 100, seconds: 900 },
  /**
   * Wrong passwords for an account in one browser that knows it, and in all of those: strangers have none.
   */
  sign_in_known_browser: { points: 10, seconds: 900 },
  sign_in_known_account: { points: 50, seconds: 900 },
  /**
   * Wrong codes of the second step, for an account from one address and from anywhere: the password was
   * right.
   */
  second_factor_account: { points: 10, seconds: 900 },
  second_factor_account_anywhere: { points: 30, seconds: 3600 },
  registration_address: { points: 60, seconds: 3600 },
  /** Steps of the OpenID Connect redirect; a sign-in takes four. */
  sign_in_redirect_address: { points: 600, seconds: 300 },
  /**
   * Sign-ins that one address, or one browser that has signed in before, begins while tens of thousands wait for an
   * answer.
   */
  sign_in_begin_scarce: { points: 30, seconds: 3600 },
  organization_create_person: { points: 20, seconds: 3600 },
  /** Invitations of one organization; each may send a message to someone who did not ask for it. */
  invitation_organization: { points: 100, seconds: 3600 },
  /** By one person, in however many organizations: those cost nothing. */
  invitation_person: { points: 200, seconds: 3600 },
  /** Invitations sent to one address, by anyone. */
  invitation_recipient: { points: 10, seconds: 3600 },
  /** Links of invitations that were opened or tried from one address. */
  invitation_lookup_address: { points: 60, seconds: 300 },
  /** Links sent by email on request, or because the address changed: per account and per address. */
  mail_link_account: { points: 5, seconds: 3600 },
  mail_link_address: { points: 30, seconds: 3600 },
  /** Links requested from a browser that knows the account, whatever strangers request. */
  mail_link_known_browser: { points: 5, seconds: 3600 },
  /**
   * Inspections of DNS records that people and programs of one organization request; each is about twelve
   * questions.
   */
  dns_inspection_organization: { points: 120, seconds: 60 },
  /** Cards that one organization begins to enter: testing stolen ones takes many. */
  card_setup_organization: { points: 20, seconds: 3600 },
  /** Deliveries of a payment provider, and what pretends to be one, from one address. */
  webhook_address: { points: 3000, seconds: 60 },
  /** Cards tried at the payment sandbox from one address. */
  sandbox_address: { points: 120, seconds: 60 },
  /** Identity tokens of CI runs, right or wrong, from one address: a runner's, which many share. */
  identity_token_address: { points: 120, seconds: 60 },
  /** Reports of abuse from one address, and from everywhere: a person has to read each. */
  abuse_report_address: { points: 10, seconds: 3600 },
  abuse_report_installation: { points: 1000, seconds: 3600 },
  /** Links to invoices that were opened or tried from one address. */
  invoice_link_address: { points: 60, seconds: 300 },
  /** Lines of the log about refused deploys from one address. */
  deploy_refusal_lines: { points: 20, seconds: 60 },
  /** Wrong operator tokens from one address. */
  operator_failure_address: { points: 20, seconds: 300 },
  /**
   * New passwords of one account: its owner is told of each by email, and nobody may have verified that the address is theirs.
   */
  password_change_account: { points: 20, seconds: 3600 },
  /** Notices to one address about what happens in organizations, such as a paused webhook: anyone can make it happen in their own. */
  notice_recipient: { points: 60, seconds: 3600 },
  /** Wrong current passwords of one account. */
  profile_account: { points: 20, seconds: 900 },
  /**
   * User names and email addresses that one account, or one network address, tries: the response reveals which
   * are taken.
   */
  profile_claim_account: { points: 10, seconds: 3600 },
  profile_claim_address: { points: 30, seconds: 3600 },
  /** Handles that one person or program tries for organizations. */
  organization_rename_principal: { points: 20, seconds: 3600 },
  /** Failed authentications by credential, per public key and per address. */
  credential_failure_key: { points: 20, seconds: 300 },
  credential_failure_address: { points: 60, seconds: 300 },
  /**
   * Requests of one person, credential, operator or address to `/api/v1` and in JSON to `/identity`; calls to
   * `/api/trpc`.
   */
  api_principal: { points: 3000, seconds: 60 },
  /**
   * Changes that the people and programs of one organization make: each stays in its audit log for a year,
   * and creating and deleting in a loop leaves even more. For what belongs to no organization, the changes of
   * one person.
   */
  changes_organization: { points: 3000, seconds: 3600 },
  /** Requests of one person or program with an `Idempotency-Key`: their responses are kept for a day. */
  idempotency_principal: { points: 20_000, seconds: 3600 },
  /** Bytes of those responses. */
  idempotency_bytes_principal: { points: 100_000_000, seconds: 3600 },
  /** Uploads of content: a deploy sends thousands, each with a file that was requested. */
  api_upload_principal: { points: 60_000, seconds: 60 },
} as const satisfies Record<string, RateLimit>;

export interface RateLimit {
  points: number;
  seconds: number;
}

export type RateLimitName = keyof typeof RATE_LIMITS;

/** The state of a key in the current window of a limit. */
export interface RateLimitWindow extends RateLimit {
  name: RateLimitName;
  /** How many more events the window allows; 0 once it is full. */
  remaining: number;
  /** In how many whole seconds it ends, from 1 to the length of the window. */
  resetSeconds: number;
}

/** A limit was exceeded: too_many_requests with the window that is full (params.seconds = when to retry). */
export class RateLimitExceeded extends AppError {
  readonly window: RateLimitWindow;

  constructor(window: RateLimitWindow) {
    super('too_many_requests', { seconds: window.resetSeconds });
    this.window = window;
  }
}

export interface RateLimits {
  /**
   * Counts one event, or several, and returns the window.
   * @throws RateLimitExceeded once the limit is exceeded
   */
  consume(name: RateLimitName, key: string, events?: number): Promise<RateLimitWindow>;
  /**
   * Counts one event, or several, and returns whether that is within the limit: for limits that the client must not
   * learn about.
   */
  isWithin(name: RateLimitName, key: string, events?: number): Promise<boolean>;
  /** Requires that the limit is not reached, without counting. @throws RateLimitExceeded */
  check(name: RateLimitName, key: string): Promise<void>;
  /** Forgets what was counted for a key, e.g. after a correct password. */
  forget(name: RateLimitName, key: string): Promise<void>;
  /**
   * Remembers that a credential was valid from an address, until many thousands of others have been since.
   */
  vouchFor(pair: string): void;
  /**
   * Whether {@link vouchFor} was called for the pair: failures of others at the address are no reason to
   * refuse it.
   */
  isVouchedFor(pair: string): boolean;
}

const VOUCHED_MAX = 20_000;
/**
 * How often windows that have ended are deleted, for all limits: what a flood left behind does not stay until
 * the next one.
 */
const PRUNE_EVERY_MS = 1000;

/**
 * Returns limits counted in this process's memory, which is bounded for each limit ({@link EventWindows}); a
 * restart empties them. `overrides` replaces single limits.
 */
export function createRateLimits(
  overrides: Partial<Record<RateLimitName, RateLimit>> = {},
  now: () => number = () => performance.now(),
): RateLimits {
  const limits = new Map<RateLimitName, EventWindows>();
  const vouched = new LRUCache<string, true>({ max: VOUCHED_MAX });
  let prunedAt = now();

  const limitOf = (name: RateLimitName): RateLimit => overrides[name] ?? RATE_LIMITS[name];
  const windowsOf = (name: RateLimitName): EventWindows => {
    const known = limits.get(name);
    if (known) return known;
    const windows = new EventWindows(limitOf(name));
    limits.set(name, windows);
    return windows;
  };
  const prune = (at: number) => {
    if (at - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = at;
    for (const windows of limits.values()) windows.prune(at);
  };

  const count = (name: RateLimitName, key: string, events: number) => {
    const at = now();
    prune(at);
    const counted = windowsOf(name).count(key, events, at);
    return { isWithin: counted.events <= limitOf(name).points, window: describe(name, counted, at) };
  };
  const describe = (name: RateLimitName, { events, endsAt }: EventWindow, at: number): RateLimitWindow => {
    const { points, seconds } = limitOf(name);
    // A sum of fractions may exceed the length of the window by less than a nanosecond.
    const resetSeconds = Math.min(seconds, Math.max(1, Math.ceil((endsAt - at) / 1000)));
    return { name, points, seconds, remaining: Math.max(0, points - events), resetSeconds };
  };

  return {
    async consume(name, key, events = 1) {
      const { isWithin, window } = count(name, key, events);
      if (!isWithin) throw new RateLimitExceeded(window);
      return window;
    },
    isWithin: async (name, key, events = 1) => count(name, key, events).isWithin,
    async check(name, key) {
      const at = now();
      const window = windowsOf(name).get(key, at);
      if (window && window.events >= limitOf(name).points) {
        throw new RateLimitExceeded(describe(name, window, at));
      }
    },
    async forget(name, key) {
      windowsOf(name).delete(key);
    },
    vouchFor: (pair) => void vouched.set(hashOf(pair), true),
    isVouchedFor: (pair) => vouched.get(hashOf(pair)) === true,
  };
}

/**
 * Returns the key of an address: an IPv4 address itself, an IPv6 address's /64, because one customer of a
 * provider usually has all of it.
 */
export function addressKey(address: string): string {
  // Every request needs this, mostly for an IPv4 address.
  if (!address.includes(':')) return address;
  const plain = readForwardedAddress(address) ?? address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
