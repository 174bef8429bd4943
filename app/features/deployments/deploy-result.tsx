import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Anchor, Button, Group, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconExternalLink } from '@tabler/icons-react';
import { DeployReportView } from './deploy-report-view.tsx';
import type { DeployState } from './use-deploy.ts';

/** The end of a deploy: where it is live, and what it changed. */
export function DeployResult(props: {
  result: Extract<DeployState, { step: 'done' }>;
  onDismiss: () => void;
}) {
  const { report, leftOut, hasIndex } = props.result;
  const { t } = useLingui();
  return (
    <div>
      <Group justify="space-between" align="center" gap="sm">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <ThemeIcon color="green" variant="light" radius="xl" size={32} aria-hidden>
            <IconCheck size={18} stroke={2.2} />
          </ThemeIcon>
          <div>
            <Title order={2}>
              <Trans>Live</Trans>
            </Title>
            <Anchor
              href={report.live_url}
              target="_blank"
              rel="noreferrer"
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              {report.live_url}
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
          </Button>
          <Button variant="default" size="xs" onClick={props.onDismiss}>
            <Trans>Dismiss</Trans>
          </Button>
        </Group>
      </Group>
      {!hasIndex && (
        <Alert color="yellow" role="note" mt="sm" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <Trans>
            There is no index.html at the top of the folder, so the address itself answers “not found”.
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
