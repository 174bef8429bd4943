import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/links.tsx';
import { NotFoundNotice } from '../../components/page/not-found-notice.tsx';

/** The page of a webhook that does not exist here. */
export function WebhookNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <NotFoundNotice
      title={<Trans>Webhook not found</Trans>}
      back={
        <ButtonLink
          to="/$orgId/webhooks"
          params={{ orgId }}
          activeOptions={{ exact: true }}
          variant="default"
        >
          <Trans>Back to webhooks</Trans>
        </ButtonLink>
      }
    />
  );
}
