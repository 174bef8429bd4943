import { Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import { Suspense, useMemo } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { useEndpointParams } from '../../cdn/endpoint/use-endpoint-params.ts';
import { EndpointUsageCard } from './endpoint-usage-card.tsx';
import { EndpointUsageFigures } from './endpoint-usage-figures.tsx';
import { endpointUsageRange } from './endpoint-usage-range.ts';
import { EndpointUsageSkeleton } from './endpoint-usage-skeleton.tsx';

/**
 * The usage metrics of the endpoint in the address over the last 30 days. The page neither waits for them nor
 * fails with them.
 */
export function EndpointUsage({ endpoint }: { endpoint: Endpoint }) {
  const ofEndpoint = useEndpointParams();
  const range = useMemo(() => endpointUsageRange(ofEndpoint), [ofEndpoint]);
  return (
    <Stack gap="lg" mt="lg">
      <CatchBoundary getResetKey={() => endpoint.id} errorComponent={EndpointUsageFailed}>
        <Suspense fallback={<EndpointUsageSkeleton />}>
          <EndpointUsageFigures range={range} hasFiles={endpoint.origin_type === 'site'} />
        </Suspense>
      </CatchBoundary>
    </Stack>
  );
}

function EndpointUsageFailed({ error, reset }: ErrorComponentProps) {
  const describe = useErrorMessage();
  const { reset: forgetFailure } = useQueryErrorResetBoundary();
  const retry = () => {
    forgetFailure();
    reset();
  };
  return (
    <EndpointUsageCard>
      <ErrorNotice onRetry={retry}>{describe(error)}</ErrorNotice>
    </EndpointUsageCard>
  );
}
