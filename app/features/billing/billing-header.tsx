import { Trans } from '@lingui/react/macro';
import { PageHeader } from '../../components/page/page-header.tsx';
import { nameOfOrganization } from '../organizations/name-of-organization.ts';
import { useHomeOrganization, useUser } from '../organizations/use-organization.ts';
import classes from './billing-header.module.css';

/** The head of the billing page, with the organization's name. */
export function BillingHeader() {
  const { organization } = useHomeOrganization();
  const name = nameOfOrganization(organization, useUser());
  return (
    <PageHeader
      title={<Trans>Billing</Trans>}
      subtitle={<Trans>Track your usage, view invoices, and manage billing settings.</Trans>}
      actions={<span className={classes.organization}>{name}</span>}
    />
  );
}
