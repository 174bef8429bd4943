import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  ACTION_PERMISSION,
  type Action,
  PERMISSIONS,
  type Permission,
} from '#server/services/organizations/rules.ts';

/**
 * The name of each action, as a list item. Exhaustive by type: a new action without a text does not compile.
 */
export const ACTION_WORDS: Record<Action, MessageDescriptor> = {
  'organization.read': msg`See the organization and what it hosts`,
  'organization.update': msg`Change the profile of the organization`,
  'organization.delete': msg`Delete the organization`,
  'member.read': msg`See who belongs to it`,
  'member.invite': msg`Invite people and revoke invitations`,
  'member.update': msg`Change the permission of members`,
  'member.remove': msg`Remove members`,
  'site.read': msg`See sites and download their versions`,
  'site.create': msg`Create sites`,
  'site.update': msg`Change sites`,
  'site.delete': msg`Delete sites`,
  'deployment.create': msg`Deploy`,
  'deployment.rollback': msg`Roll back`,
  'endpoint.read': msg`See CDN endpoints`,
  'endpoint.create': msg`Create CDN endpoints`,
  'endpoint.update': msg`Change CDN endpoints`,
  'endpoint.delete': msg`Delete CDN endpoints`,
  'certificate.manage': msg`Check DNS records and issue certificates`,
  'bucket.read': msg`See buckets`,
  'bucket.cors': msg`Decide which websites may use a bucket`,
  'bucket.manage': msg`Create and delete buckets`,
  'object.read': msg`See and download the contents of buckets`,
  'object.write': msg`Upload to buckets and delete from them`,
  'object.share': msg`Share the contents of buckets by link`,
  'credential.read': msg`See credentials, never their secret keys`,
  'credential.manage': msg`Create, change and delete credentials`,
  'webhook.read': msg`See webhooks and what was sent to them`,
  'webhook.manage': msg`Create, change and delete webhooks`,
  'usage.read': msg`See usage statistics`,
  'billing.read': msg`See costs, invoices and payment methods`,
  'billing.manage': msg`Set up billing, change cards and spending limits`,
  'audit.read': msg`Read the audit log`,
  'audit.addresses': msg`See network and email addresses in the audit log`,
};

/** Returns the actions that a permission allows and weaker ones do not, in the order of the table. */
export function actionsAddedBy(permission: Permission): Action[] {
  const actions = Object.keys(ACTION_PERMISSION) as Action[];
  return actions.filter((action) => ACTION_PERMISSION[action] === permission);
}

/** Returns the next weaker permission, whose actions are included; null for the weakest. */
export function weakerThan(permission: Permission): Permission | null {
  return PERMISSIONS[PERMISSIONS.indexOf(permission) - 1] ?? null;
}
