import { Trans } from '@lingui/react/macro';
import { Stack, Title } from '@mantine/core';
import { type ErrorComponentProps, useParams, useRouter } from '@tanstack/react-router';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';

/** An endpoint's page that could not be loaded: why, Retry, and a link back to the list. */
export function EndpointFailed({ error, reset }: ErrorComponentProps) {
  const { orgId } = useParams({ from: '/$orgId' });
  const router = useRouter();
  const describe = useErrorMessage();
  return (
    <Stack gap="md" maw={640}>
      <Title order={1}>
        <Trans>This page could not be loaded</Trans>
      </Title>
      <ErrorNotice
        onRetry={() => {
          reset();
          return router.invalidate();
        }}
      >
        {describe(error)}
      </ErrorNotice>
      <AnchorLink to="/$orgId/cdn" params={{ orgId }} size="sm">
        <Trans>Back to CDN</Trans>
      </AnchorLink>
    </Stack>
  );
}
