import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Skeleton, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { SidePanel } from '../../../components/dialogs/side-panel.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import rows from '../managed-rows.module.css';
import { SpendingLimitRow } from './spending-limit-row.tsx';
import classes from './spending-limits.module.css';
import { useSpendingLimits } from './use-spending-limits.ts';

const billingRoute = getRouteApi('/$orgId/billing/');
/** The form is loaded when a limit is set: most visits of the page set none. */
const LimitForm = lazyPart(() => import('./limit-form.tsx'));
/** In the address for a new limit. */
const NEW = 'new';

/** The monthly spending limits, with how much of each is used; the open form is in the address. */
export function SpendingLimitsCard() {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('billing.manage');
  const limits = useSpendingLimits(organization.id);
  const { data: status } = trpc.billing.status.useQuery({ organization_id: organization.id });
  const isStorageBilled = status?.storage_price != null;
  const { limit: opened } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const open = (limit: string | undefined) =>
    void navigate({
      search: (before) => ({ ...before, limit }),
      replace: limit === undefined,
      resetScroll: false,
    });
  const edited = limits.data?.find(({ id }) => id === opened);
  const isOpen = reason === null && (opened === NEW || edited !== undefined);
  return (
    <div id="limits" className={classes.anchor}>
      <SectionCard
        title={<Trans>Spending limits</Trans>}
        action={
          <ReasonedAction reason={reason} onAct={() => open(NEW)}>
            {(action) => (
              <Button
                variant="default"
                leftSection={<IconPlus size={16} stroke={2} aria-hidden />}
                {...action}
              >
                <Trans>Set a limit</Trans>
              </Button>
            )}
          </ReasonedAction>
        }
      >
        <Text size="sm" c="dimmed" mb="md">
          <Trans>The maximum to spend in a month. Notices are sent at 50, 75, 90 and 100 percent.</Trans>{' '}
          {isStorageBilled ? (
            <Trans>
              With “Stop serving”, nothing beyond the limit is served, and only what is stored is billed
              beyond it.
            </Trans>
          ) : (
            <Trans>With “Stop serving”, nothing beyond the limit is served or billed.</Trans>
          )}
        </Text>
        {limits.isPending && <Skeleton height={56} role="status" aria-busy aria-label={t`Loading`} />}
        {limits.isError && !limits.data && (
          <ErrorNotice onRetry={limits.refetch}>
            <Trans>Failed to load the spending limits</Trans>
          </ErrorNotice>
        )}
        {limits.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>No limit is set. Set one, and even heavy traffic costs no more than you decide.</Trans>
          </Text>
        )}
        {limits.data && limits.data.length > 0 && (
          <ul className={rows.list}>
            {limits.data.map((limit) => (
              <SpendingLimitRow
                key={limit.id}
                limit={limit}
                isStorageBilled={isStorageBilled}
                reason={reason}
                onEdit={() => open(limit.id)}
              />
            ))}
          </ul>
        )}
      </SectionCard>
      <SidePanel
        isOpen={isOpen}
        onClose={() => open(undefined)}
        title={edited ? <Trans>Change the limit</Trans> : <Trans>Set a limit</Trans>}
        size="md"
        closeLabel={t`Close`}
      >
        <Suspense fallback={<Skeleton height={320} />}>
          <LimitForm key={opened} limit={edited ?? null} onDone={() => open(undefined)} />
        </Suspense>
      </SidePanel>
    </div>
  );
}
