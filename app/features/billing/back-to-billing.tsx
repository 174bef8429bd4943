import { Trans } from '@lingui/react/macro';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './invoices/invoice-page.module.css';

/** The link back from an invoice. */
export function BackToBilling({ organizationId }: { organizationId: string }) {
  return (
    <Link
      to="/$orgId/billing"
      params={{ orgId: organizationId }}
      className={classes.back}
      activeOptions={{ exact: true }}
    >
      <IconArrowLeft size={16} stroke={1.8} aria-hidden />
      <Trans>Back to Billing</Trans>
    </Link>
  );
}
