import { AppError } from '#server/errors.ts';
import { mayGrant, type Permission } from '../rules.ts';

/** Requires that a person may grant this permission, or take it away. @throws permission_not_grantable */
export function requireGrantable(own: Permission, given: Permission): void {
  if (!mayGrant(own, given)) throw new AppError('permission_not_grantable', { permission: given });
}
