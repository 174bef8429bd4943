import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Badge, Button, Text } from '@mantine/core';
import { IconArrowRight, IconBrowser, IconExternalLink } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { ChangeOriginDialog } from './change-origin-dialog.tsx';
import classes from './origin-card.module.css';

const endpointRoute = getRouteApi('/$orgId/endpoints/$endpointId');

/**
 * The origin of the hostname: a site or a redirect target, with an action to change it. The open dialog is in
 * the address.
 */
export function OriginCard({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useLingui();
  const { origin } = endpointRoute.useSearch();
  const navigate = endpointRoute.useNavigate();
  const reason = usePermissionReason()('endpoint.update');
  const setOpen = (isOpen: boolean) =>
    void navigate({
      search: (before) => ({ ...before, origin: isOpen || undefined }),
      replace: !isOpen,
      resetScroll: false,
    });
  return (
    <SectionCard
      title={<Trans>Origin</Trans>}
      action={
        <ReasonedAction reason={reason} onAct={() => setOpen(true)}>
          {(action) => (
            <Button variant="default" size="xs" {...action}>
              <Trans>Change origin</Trans>
            </Button>
          )}
        </ReasonedAction>
      }
    >
      <div className={classes.origin}>
        {endpoint.origin_type === 'redirect' ? (
          <IconArrowRight size={18} stroke={1.6} aria-hidden />
        ) : (
          <IconBrowser size={18} stroke={1.6} aria-hidden />
        )}
        <OriginLink endpoint={endpoint} />
        {endpoint.origin_type === 'site' && (
          <Badge color="gray" className={classes.badge}>{t`static site`}</Badge>
        )}
      </div>
      {endpoint.origin_type === 'redirect' && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>Every visit is redirected there permanently (301), with its path and query.</Trans>
        </Text>
      )}
      {reason && (
        <Text size="xs" c="dimmed" mt="sm">
          {reason}
        </Text>
      )}
      <ChangeOriginDialog
        endpoint={endpoint}
        isOpen={origin === true && reason === null}
        onClose={() => setOpen(false)}
      />
    </SectionCard>
  );
}

function OriginLink({ endpoint }: { endpoint: Endpoint }) {
  const { organization } = useOrganization();
  const { origin_type, redirect_target, site_id, site_name } = endpoint;
  if (origin_type === 'redirect' && redirect_target !== null) {
    return (
      <Anchor href={redirect_target} target="_blank" rel="noreferrer" className={classes.link}>
        {redirect_target} <IconExternalLink size={14} stroke={1.6} aria-hidden />
        <NewTabHint />
      </Anchor>
    );
  }
  if (site_id === null) return <span className={classes.link}>–</span>;
  return (
    <AnchorLink
      to="/$orgId/sites/$siteId"
      params={{ orgId: organization.id, siteId: site_id }}
      className={classes.link}
    >
      {site_name ?? site_id}
    </AnchorLink>
  );
}
