import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { isPersonal } from '#server/services/organizations/rules.ts';
import { AnchorLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useSettings } from '../../use-settings.ts';
import { CostCard } from '../billing/cost-card.tsx';
import { useOrganization, useUser } from '../organizations/use-organization.ts';
import { OrganizationDetails } from './organization-details.tsx';
import { QuickActions } from './quick-actions.tsx';
import { RecentDeploys } from './recent-deploys.tsx';
import { UsageCard } from './usage-card.tsx';

/**
 * Greets a person in the personal workspace, or introduces the organization; then actions, traffic and recent
 * deploys.
 */
export function Dashboard() {
  const user = useUser();
  const { organization } = useOrganization();
  const name = user.full_name || user.login;
  const isBilled = useSettings().billingMode !== 'off';
  const isHome = isPersonal(organization.external_id);
  return (
    <>
      {isHome ? (
        <PageHeader
          title={<Trans>Hello, {name}</Trans>}
          subtitle={<Trans>Your personal workspace: what you host, in one place.</Trans>}
        />
      ) : (
        <PageHeader title={organization.name} subtitle={organization.description ?? undefined} />
      )}
      <Stack gap="lg">
        <QuickActions />
        <UsageCard />
        <RecentDeploys />
        {isBilled && (
          <CostCard
            action={
              <AnchorLink to="/$orgId/billing" params={{ orgId: organization.id }} size="sm">
                <Trans>Billing</Trans>
              </AnchorLink>
            }
          />
        )}
        {!isHome && <OrganizationDetails organization={organization} />}
      </Stack>
    </>
  );
}
