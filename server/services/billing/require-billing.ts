import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/** Whether the organization may create what is billed (sites, endpoints). Without billing everyone may. */
export async function canCreateBillable(context: OrganizationContext): Promise<boolean> {
  return context.app.config.billingMode === 'off';
}

/** Goes on when the organization may create what is billed. @throws billing_required */
export async function requireBilling(context: OrganizationContext): Promise<void> {
  if (!(await canCreateBillable(context))) throw new AppError('billing_required');
}
