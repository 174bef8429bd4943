/** What a membership grants, weakest first: each includes the ones before it. */
export const PERMISSIONS = ['read', 'write', 'admin', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * The one table of who may do what (design/product.md, Permissions): the weakest membership permission that allows each
 * action. Verbs enforce it; the interface reads it to hide or explain.
 */
export const ACTION_PERMISSION = {
  'organization.read': 'read',
  'site.read': 'read',
  'site.create': 'write',
  'site.update': 'write',
  'site.delete': 'admin',
  'deployment.create': 'write',
  'deployment.rollback': 'write',
  'endpoint.read': 'read',
  'endpoint.create': 'write',
  'endpoint.delete': 'admin',
  'credential.read': 'read',
  'credential.manage': 'admin',
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof ACTION_PERMISSION;

/** Whether a membership permission allows an action. */
export function isAllowed(permission: Permission, action: Action): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(ACTION_PERMISSION[action]);
}

/** Whether an external id names a personal workspace (spec/console.md, section 6). */
export function isPersonal(externalId: string): boolean {
  return externalId.startsWith('personal-');
}
