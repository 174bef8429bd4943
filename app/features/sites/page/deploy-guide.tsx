import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Card, Checkbox, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { Site } from '#server/services/sites/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { useSettings } from '../../../use-settings.ts';
import { DeployPicker } from '../../deployments/deploy-picker.tsx';
import type { DeploySource } from '../../deployments/use-deploy.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import {
  cliLines,
  curlLines,
  type DeployTarget,
  GIT_HOSTS,
  type GitHost,
  signsTokens,
  WORKFLOW_PATHS,
  workflowFile,
} from './deploy-lines.ts';

/** The ways to deploy: from this browser at once, and two without this page, with lines made for exactly this site. */
export function DeployGuide(props: { site: Site; isBusy: boolean; onPick: (source: DeploySource) => void }) {
  const { site } = props;
  const { publicUrl, cliRelease } = useSettings();
  const [host, setHost] = useState<GitHost>('GitHub');
  const [wantsTrust, setWantsTrust] = useState(false);
  const isTrusted = wantsTrust && signsTokens(host);
  const target = { publicUrl, cliRelease, siteId: site.id, subdomain: site.subdomain };
  return (
    <Stack gap="xl">
      <FromBrowser isBusy={props.isBusy} onPick={props.onPick} />
      {!isTrusted && <CredentialNote siteId={site.id} />}
      <FromGitHost
        target={target}
        host={host}
        onHost={setHost}
        isTrusted={isTrusted}
        wantsTrust={wantsTrust}
        onTrust={setWantsTrust}
      />
      <FromAnywhere target={target} />
    </Stack>
  );
}

function FromBrowser({ isBusy, onPick }: { isBusy: boolean; onPick: (source: DeploySource) => void }) {
  return (
    <Stack component="section" gap="sm">
      <Title order={3}>
        <Trans>From this browser</Trans>
      </Title>
      {isBusy ? (
        <Text size="sm" c="dimmed">
          <Trans>A deploy is under way on this page.</Trans>
        </Text>
      ) : (
        <Card bg="var(--surface-sunken)" padding="md">
          <DeployPicker
            isFirst={false}
            isMain
            isOver={false}
            reason={null}
            isEmptyPick={false}
            onPick={onPick}
          />
        </Card>
      )}
    </Stack>
  );
}

/** Says that the other ways need a credential, and where to get one. */
function CredentialNote({ siteId }: { siteId: string }) {
  const { organization, can } = useOrganization();
  return (
    <Alert color="lake" icon={<IconKey size={18} aria-hidden />} role="note">
      {can('credential.manage') ? (
        <Trans>
          The two ways below need a credential with access to this site.{' '}
          <AnchorLink
            to="/$orgId/credentials"
            params={{ orgId: organization.id }}
            search={{ create: true, site: siteId }}
            underline="always"
            inherit
          >
            Create one under Credentials
          </AnchorLink>{' '}
          and keep its two keys where your tooling keeps secrets.
        </Trans>
      ) : (
        <Trans>
          The two ways below need a credential with access to this site. Ask someone with the Admin permission
          in this organization for one, and keep its two keys where your tooling keeps secrets.
        </Trans>
      )}
    </Alert>
  );
}

/** The workflow file for a git host: with the keys of a credential, or trusted without a stored secret. */
function FromGitHost(props: {
  target: DeployTarget;
  host: GitHost;
  onHost: (host: GitHost) => void;
  isTrusted: boolean;
  wantsTrust: boolean;
  onTrust: (wantsTrust: boolean) => void;
}) {
  const { target, host, isTrusted } = props;
  const { t } = useLingui();
  const path = WORKFLOW_PATHS[host];
  return (
    <Stack component="section" gap="sm">
      <div>
        <Title order={3}>
          <Trans>On every push, from your git host</Trans>
        </Title>
        <Text size="sm" c="dimmed">
          {isTrusted ? (
            <Trans>A git-host action deploys automatically. Save this as {path}; no key is needed.</Trans>
          ) : (
            <Trans>
              A git-host action deploys automatically. Save this as {path} and add the two keys to the secrets
              of the repository.
            </Trans>
          )}
        </Text>
      </div>
      <SegmentedControl<GitHost>
        aria-label={t`Git host`}
        data={[...GIT_HOSTS]}
        value={host}
        onChange={props.onHost}
      />
      {signsTokens(host) && (
        <Checkbox
          label={t`Without a stored secret`}
          description={t`Add the repository to the site, on its page under Deploy from CI.`}
          checked={props.wantsTrust}
          onChange={(event) => props.onTrust(event.currentTarget.checked)}
        />
      )}
      <CopyLine value={workflowFile(host, isTrusted, target)} label={t`Copy the workflow file`} />
    </Stack>
  );
}

/** The commands for a pipeline or a machine of one's own. */
function FromAnywhere({ target }: { target: DeployTarget }) {
  const { t } = useLingui();
  return (
    <Stack component="section" gap="sm">
      <div>
        <Title order={3}>
          <Trans>By calling the deployment API directly</Trans>
        </Title>
        <Text size="sm" c="dimmed">
          <Trans>From your own pipeline or your machine: the command sends only what has changed.</Trans>
        </Text>
      </div>
      <CopyLine value={cliLines(target)} label={t`Copy the command`} />
      <Text size="sm" c="dimmed">
        <Trans>Or with just tar and curl:</Trans>
      </Text>
      <CopyLine value={curlLines(target)} label={t`Copy the curl line`} />
    </Stack>
  );
}
