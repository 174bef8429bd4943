import { DAY_MS } from '#server/durations.ts';

/** What a membership grants, weakest first: each includes the ones before it. */
export const PERMISSIONS = ['read', 'write', 'admin', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * The one table of who may do what: the weakest membership permission that allows each action. Verbs enforce
 * it; the interface reads it to hide or explain.
 */
export const ACTION_PERMISSION = {
  'organization.read': 'read',
  'organization.update': 'admin',
  'organization.delete': 'owner',
  'member.read': 'read',
  'member.invite': 'admin',
  'member.update': 'admin',
  'member.remove': 'admin',
  'site.read': 'read',
  'site.create': 'write',
  'site.update': 'write',
  'site.delete': 'admin',
  'deployment.create': 'write',
  'deployment.rollback': 'write',
  'endpoint.read': 'read',
  'endpoint.create': 'write',
  'endpoint.update': 'write',
  'endpoint.delete': 'admin',
  'certificate.manage': 'write',
  'bucket.read': 'read',
  /** Which websites may use it from a browser. */
  'bucket.cors': 'write',
  'bucket.manage': 'admin',
  /** The content of buckets, in the console; clients have credentials. */
  'object.read': 'read',
  'object.write': 'write',
  /** Links that grant access to anyone who has them. */
  'object.share': 'write',
  'credential.read': 'read',
  'credential.manage': 'admin',
  /** The hosts of webhooks, never their paths, which are often secrets. */
  'webhook.read': 'read',
  'webhook.manage': 'admin',
  'usage.read': 'read',
  'billing.read': 'read',
  /** Cards, the contact, and spending limits. */
  'billing.manage': 'owner',
  'audit.read': 'read',
  /** Network and email addresses in the audit log. */
  'audit.addresses': 'admin',
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof ACTION_PERMISSION;

/** Whether a membership permission allows an action. */
export function isAllowed(permission: Permission, action: Action): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(ACTION_PERMISSION[action]);
}

/**
 * Whether a suspended organization does not allow its members an action: whatever changes something, except its billing, because an
 * unpaid invoice may be the reason.
 */
export function isBlockedBySuspension(action: Action): boolean {
  return action !== 'billing.manage' && ACTION_PERMISSION[action] !== 'read';
}

/** Whether an external id is that of a personal workspace. */
export function isPersonal(externalId: string): boolean {
  return externalId.startsWith('personal-');
}

/**
 * Whether a person with one permission may grant another, or take it away: an administrator cannot appoint
 * owners.
 */
export function mayGrant(own: Permission, given: Permission): boolean {
  return own === 'owner' || (own === 'admin' && given !== 'owner');
}

/**
 * Handles with another meaning in an address: below `/identity/organizations`, or directly below `/identity`.
 */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set([
  'new',
  'settings',
  'members',
  'invitations',
  'api',
  'auth',
  'forgot-password',
  'interaction',
  'jwks',
  'me',
  'organizations',
  'profile',
  'register',
  'reset-password',
  'session',
  'token',
  'verify-email',
]);

/** How long the link of an invitation works. */
export const INVITATION_DAYS = 7;
/** How long an invitation is kept after it stops working. */
export const PAST_INVITATION_KEPT_MS = 30 * DAY_MS;
