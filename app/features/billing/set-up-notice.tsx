import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-part.tsx';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { useMemberships } from '../organizations/memberships-provider.tsx';

/** For the time of grace only: few pages need it. */
const SetUpAlert = lazyPart(() => import('./set-up-alert.tsx'), { isQuiet: true });

/**
 * Tells organizations that existed before billing was turned on by when they must set it up; renders nothing
 * for others.
 */
export function SetUpNotice() {
  const { billingMode } = useSettings();
  const { membership } = useMemberships();
  const organizationId = membership?.organization.id ?? '';
  const { data: status } = trpc.billing.status.useQuery(
    { organization_id: organizationId },
    { enabled: billingMode !== 'off' && membership !== null, retry: false },
  );
  if (status?.readiness !== 'grace' || status.set_up_by === null) return null;
  return (
    <Suspense fallback={null}>
      <SetUpAlert organizationId={organizationId} setUpBy={status.set_up_by} mayManage={status.may_manage} />
    </Suspense>
  );
}
