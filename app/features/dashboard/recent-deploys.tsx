import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Skeleton, Text } from '@mantine/core';
import { IconArrowUpRight } from '@tabler/icons-react';
import { versionState } from '#server/services/deployments/rules.ts';
import type { RecentDeploy } from '#server/services/deployments/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { AnchorLink, NameLink } from '../../components/links.tsx';
import { NewTabHint } from '../../components/new-tab-hint.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { revealDirection } from '../../i18n/reveal-direction.ts';
import { trpc } from '../../trpc.ts';
import { VersionStateBadge } from '../deployments/history/version-state-badge.tsx';
import { useSourceName } from '../deployments/upload/use-source-name.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { SitePicture } from '../sites/site-picture.tsx';
import classes from './recent-deploys.module.css';
import { recentDeploysInput } from './recent-deploys-input.ts';

/** The latest deploys of all sites: what each was about, who made it, and what became of it. */
export function RecentDeploys() {
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const deploys = trpc.deployments.recent.useQuery(recentDeploysInput(organization.id));
  return (
    <SectionCard
      title={<Trans>Recent deploys</Trans>}
      action={
        <AnchorLink to="/$orgId/sites" params={{ orgId: organization.id }} size="sm">
          <Trans>All sites</Trans>
        </AnchorLink>
      }
    >
      {deploys.isPending && <RecentDeploysSkeleton />}
      {deploys.isError && !deploys.data && (
        <ErrorNotice onRetry={deploys.refetch}>{describe(deploys.error)}</ErrorNotice>
      )}
      {deploys.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Nothing has been deployed yet. Your latest deploys appear here.</Trans>
        </Text>
      )}
      {deploys.data && deploys.data.length > 0 && (
        <ul className={classes.list}>
          {deploys.data.map((deploy) => (
            <DeployRow key={deploy.id} deploy={deploy} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function DeployRow({ deploy }: { deploy: RecentDeploy }) {
  const { organization } = useOrganization();
  const sourceName = useSourceName();
  const { site, created_by: author } = deploy;
  const { name } = site;
  const message = deploy.message && revealDirection(deploy.message);
  return (
    <li className={classes.row}>
      <SitePicture site={site} />
      <div className={classes.what}>
        <div className={classes.title}>
          <NameLink
            to="/$orgId/sites/$siteId"
            params={{ orgId: organization.id, siteId: site.id }}
            className={classes.name}
          >
            {name}
          </NameLink>
          <DeployState deploy={deploy} />
        </div>
        <div className={classes.message} title={message ?? undefined}>
          {message ?? sourceName(deploy.source)}
        </div>
      </div>
      <div className={classes.made}>
        <span className={classes.author}>
          <Trans>by {author}</Trans>
        </span>
        <TimeAgo instant={deploy.created_at} />
      </div>
      <Anchor
        href={deploy.is_current ? site.subdomain_url : deploy.preview_url}
        target="_blank"
        rel="noreferrer"
        size="sm"
        className={classes.visit}
        hidden={deploy.sealed_at === null}
      >
        {deploy.is_current ? <Trans>Visit</Trans> : <Trans>Preview</Trans>}
        <span className="visually-hidden">
          , {name} #{deploy.number}
        </span>
        <NewTabHint />
        <IconArrowUpRight size={15} aria-hidden />
      </Anchor>
    </li>
  );
}

/** Outside its history, an earlier version needs a label too. */
function DeployState({ deploy }: { deploy: RecentDeploy }) {
  const state = versionState(deploy);
  if (deploy.suspended_at !== null) {
    return (
      <Badge color="red">
        <Trans context="version">suspended</Trans>
      </Badge>
    );
  }
  if (state !== 'other') return <VersionStateBadge state={state} />;
  return (
    <Badge color="gray">
      {deploy.was_published ? <Trans>replaced</Trans> : <Trans context="version">preview</Trans>}
    </Badge>
  );
}

function RecentDeploysSkeleton() {
  return (
    <div role="status" aria-busy>
      <span className="visually-hidden">
        <Trans>Loading</Trans>
      </span>
      {['first', 'second', 'third'].map((key) => (
        <div key={key} className={classes.row}>
          <Skeleton height={50} width={80} />
          <div className={classes.what}>
            <Skeleton height={16} width="40%" my={4} />
            <Skeleton height={14} width="60%" my={5} />
          </div>
          <div className={classes.made}>
            <Skeleton height={14} width={90} />
          </div>
        </div>
      ))}
    </div>
  );
}
