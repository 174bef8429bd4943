import { Trans } from '@lingui/react/macro';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { useUsageOverview } from './use-usage-overview.ts';

/** Says that figures did not come (spec/console.md, section 8), and asks again. */
export function UsageFailed({ overview }: { overview: ReturnType<typeof useUsageOverview> }) {
  return (
    <ErrorNotice onRetry={() => void overview.refetch()} isRetrying={overview.isFetching}>
      <Trans>Failed to load usage statistics</Trans>
    </ErrorNotice>
  );
}
