import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Anchor, Button, Group, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconExternalLink } from '@tabler/icons-react';
import { NewTabHint } from '../../components/new-tab-hint.tsx';
import { DeployReportView } from './deploy-report-view.tsx';
import type { DeployState } from './use-deploy.ts';

/** The end of a deploy: where it is live, or which newer version is, and what it changed. */
export function DeployResult(props: {
  result: Extract<DeployState, { step: 'done' }>;
  onDismiss: () => void;
}) {
  const { report, leftOut, hasIndex } = props.result;
  const { t } = useLingui();
  const newer = report.superseded_by;
  const address = newer === null ? report.live_url : report.preview_url;
  return (
    <div>
      <Group justify="space-between" align="center" gap="sm">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <ThemeIcon color="green" variant="light" radius="xl" size={32} aria-hidden>
            <IconCheck size={18} stroke={2.2} />
          </ThemeIcon>
          <div>
            <Title order={2}>{newer === null ? <Trans>Live</Trans> : <Trans>Kept as a preview</Trans>}</Title>
            <Anchor
              href={address}
              target="_blank"
              rel="noreferrer"
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              {address}
              <NewTabHint />
            </Anchor>
          </div>
        </Group>
        <Group gap="xs">
          <Button
            component="a"
            href={report.preview_url}
            target="_blank"
            rel="noreferrer"
            variant="default"
            size="xs"
            rightSection={<IconExternalLink size={14} stroke={1.6} aria-hidden />}
          >
            <Trans>Preview</Trans>
            <NewTabHint />
          </Button>
          <Button variant="default" size="xs" onClick={props.onDismiss}>
            <Trans>Dismiss</Trans>
          </Button>
        </Group>
      </Group>
      {newer !== null && (
        <Alert color="yellow" role="note" mt="sm" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <Trans>
            Version {newer} was started later and is live. To replace it with this one, deploy again.
          </Trans>
        </Alert>
      )}
      {!hasIndex && (
        <Alert color="yellow" role="note" mt="sm" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <Trans>
            There is no index.html at the top of the folder, so the site’s address shows “not found”.
          </Trans>
        </Alert>
      )}
      <DeployReportView report={report} />
      {leftOut > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {t`${plural(leftOut, {
            one: '# file was left out (.git, node_modules, system files)',
            other: '# files were left out (.git, node_modules, system files)',
          })}`}
        </Text>
      )}
    </div>
  );
}
