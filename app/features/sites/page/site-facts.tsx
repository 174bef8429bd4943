import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Switch, Text } from '@mantine/core';
import type { Site } from '#server/services/sites/schema.ts';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { hostOf, isLocalHost } from '../site-host.ts';
import { SitePicture } from '../site-picture.tsx';
import { useSiteParams } from '../use-site-params.ts';
import classes from './site-page.module.css';

/** Id, address and times of a site, and how it answers unknown paths. */
export function SiteFacts({ site }: { site: Site }) {
  const { t } = useLingui();
  const { sitesHost } = useSettings();
  return (
    <SectionCard title={<Trans>Site</Trans>}>
      {site.picture?.kind === 'page' && (
        <div className={classes.picture}>
          <SitePicture site={site} isLarge />
        </div>
      )}
      <dl className={classes.facts}>
        <div data-wide>
          <dt>
            <Trans>Site ID</Trans>
          </dt>
          <dd>
            <span className={classes.id}>{site.id}</span>
            <CopyButton value={site.id} label={t`Copy the site ID`} />
          </dd>
        </div>
        <div data-wide>
          <dt>
            <Trans>Address</Trans>
          </dt>
          <dd>
            <Anchor href={site.subdomain_url} target="_blank" rel="noreferrer" size="sm">
              {hostOf(site.subdomain_url)}
              <NewTabHint />
            </Anchor>
            <CopyButton value={site.subdomain_url} label={t`Copy the address`} />
          </dd>
          {isLocalHost(sitesHost) && (
            <dd>
              <Text size="xs" c="dimmed">
                <Trans>
                  Names under localhost point to this computer: browsers and curl can open them here, but
                  other programs and other computers cannot.
                </Trans>
              </Text>
            </dd>
          )}
        </div>
        <div>
          <dt>
            <Trans>Created</Trans>
          </dt>
          <dd>
            <TimeAgo instant={site.created_at} />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>Last deployed</Trans>
          </dt>
          <dd>
            {site.deployed_at === null ? (
              <Trans>Not deployed yet</Trans>
            ) : (
              <TimeAgo instant={site.deployed_at} />
            )}
          </dd>
        </div>
      </dl>
      <SpaSwitch site={site} />
    </SectionCard>
  );
}

/** The switch moves at once and moves back when the server refuses. */
function SpaSwitch({ site }: { site: Site }) {
  const { t } = useLingui();
  const ofSite = useSiteParams();
  const reason = usePermissionReason()('site.update');
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const update = trpc.sites.update.useMutation({
    onMutate: async ({ spa_fallback }) => {
      await utils.sites.get.cancel(ofSite);
      const before = utils.sites.get.getData(ofSite);
      utils.sites.get.setData(ofSite, (current) =>
        current && spa_fallback !== undefined ? { ...current, spa_fallback } : current,
      );
      return { before };
    },
    onError: (error, _, context) => {
      utils.sites.get.setData(ofSite, context?.before);
      notifyFailure(describe(error));
    },
    onSuccess: (updated) => utils.sites.get.setData(ofSite, updated),
  });
  return (
    <>
      <Switch
        mt="lg"
        label={t`Single-page application`}
        description={t`Unknown paths without a file extension return index.html instead of 404.`}
        checked={site.spa_fallback}
        disabled={reason !== null}
        onChange={(event) => update.mutate({ ...ofSite, spa_fallback: event.currentTarget.checked })}
      />
      {reason && (
        <Text size="xs" c="dimmed" mt={4}>
          {reason}
        </Text>
      )}
    </>
  );
}
