import { Trans } from '@lingui/react/macro';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { useUsageOverview } from './use-usage-overview.ts';

/** Says that usage could not be loaded, with Retry. */
export function UsageFailed({ overview }: { overview: ReturnType<typeof useUsageOverview>['overview'] }) {
  return (
    <ErrorNotice onRetry={overview.refetch}>
      <Trans>Failed to load usage statistics</Trans>
    </ErrorNotice>
  );
}
