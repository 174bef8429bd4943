/** How long the audit log is kept. */
export const AUDIT_KEPT_DAYS = 365;

/**
 * After this time, an address is reduced to its network: enough to distinguish two places, but not two homes.
 */
export const ADDRESS_KEPT_DAYS = 30;

/**
 * The actions in the log of an organization, by what they are about. Every action needs a sentence
 * (app/features/audit/audit-sentence.tsx).
 */
export const AUDIT_ACTIONS = {
  site: [
    'site.create',
    'site.update',
    'site.delete',
    'site.restore',
    'site.purge',
    'site.publisher_add',
    'site.publisher_remove',
    'site.suspend',
    'site.resume',
  ],
  deployment: [
    'version.open',
    'version.files',
    'version.seal',
    'version.publish',
    'version.cancel',
    'version.expire',
    'version.remove',
    'version.suspend',
    'version.resume',
    'site.rollback',
  ],
  endpoint: [
    'endpoint.create',
    'endpoint.update',
    'endpoint.delete',
    'endpoint.expire',
    'endpoint.supersede',
  ],
  certificate: ['certificate.create', 'certificate.validate', 'certificate.issue', 'certificate.renew'],
  bucket: [
    'bucket.create',
    'bucket.update',
    'bucket.publish',
    'bucket.unpublish',
    'bucket.empty',
    'bucket.empty_stop',
    'bucket.remove_objects',
    'bucket.abandon_upload',
    'bucket.abandon_uploads',
    'bucket.share_object',
    'bucket.delete',
    'bucket.purge',
  ],
  credential: ['credential.create', 'credential.scopes', 'credential.delete'],
  webhook: [
    'webhook.create',
    'webhook.update',
    'webhook.rotate',
    'webhook.test',
    'webhook.redeliver',
    'webhook.pause',
    'webhook.delete',
  ],
  member: [
    'member.add',
    'member.update',
    'member.remove',
    'member.leave',
    'member.set',
    'invitation.create',
    'invitation.accept',
    'invitation.revoke',
  ],
  billing: [
    'billing.setup',
    'billing.contact',
    'payment_method.begin',
    'payment_method.add',
    'payment_method.default',
    'payment_method.remove',
    'invoice.issue',
    'invoice.paid',
    'invoice.void',
    'invoice.credit',
    'invoice.credit_refused',
    'invoice.refund',
    'invoice.refund_rejected',
    'invoice.repaid',
    'invoice.dispute',
    'invoice.resend',
    'invoice.link',
    'spending_limit.set',
    'spending_limit.remove',
    'spending_limit.reach',
  ],
  organization: [
    'organization.create',
    'organization.update',
    'organization.delete',
    'organization.attach',
    'organization.detach',
    'organization.features',
    'organization.limits',
    'organization.suspend',
    'organization.resume',
  ],
} as const;

export type AuditSubject = keyof typeof AUDIT_ACTIONS;
export type AuditAction = (typeof AUDIT_ACTIONS)[AuditSubject][number];

export const AUDIT_SUBJECTS = [
  'site',
  'deployment',
  'endpoint',
  'certificate',
  'bucket',
  'credential',
  'webhook',
  'member',
  'billing',
  'organization',
] as const satisfies readonly AuditSubject[];

export const ACTOR_KINDS = ['person', 'credential', 'operator', 'job'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * Recorded but not shown: that a person switched to an organization concerns that person's session, and
 * reveals the person's other organizations.
 */
export const PRIVATE_ACTIONS = ['organization.context'] as const;

/**
 * All recorded actions: those in the log of an organization, and those of people and of the installation,
 * which belong to none.
 */
export type RecordedAction =
  | AuditAction
  | (typeof PRIVATE_ACTIONS)[number]
  | `${'abuse' | 'account' | 'identity_client' | 'operator_token' | 'person' | 'session' | 'user'}.${string}`;

/** Returns the network of an address: an IPv4 /24 or an IPv6 /48. A network is returned unchanged. */
export function shortenAddress(address: string): string {
  if (address.includes('/')) return address;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  const octets = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(plain)?.[1];
  if (octets !== undefined) return `${octets}.0/24`;
  if (!plain.includes(':')) return 'unknown/0';
  // The first three groups; `::` before them stands for zeros.
  const [head = ''] = plain.toLowerCase().split('::');
  const groups = head.split(':').slice(0, 3);
  const filled = [0, 1, 2].map((index) => (groups[index] || '0').replace(/^0+(?=.)/, ''));
  return `${filled.join(':')}::/48`;
}
