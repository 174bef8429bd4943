import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCloudUpload } from '@tabler/icons-react';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import classes from './deploy-zone.module.css';
import { FolderButton } from './folder-button.tsx';
import type { DeploySource } from './use-deploy.ts';

/** Asks for a folder or a .zip: large before the first deployment, one line afterwards. */
export function DeployPicker(props: {
  isFirst: boolean;
  /** Whether choosing a folder is the main action of the surrounding screen. */
  isMain?: boolean;
  isOver: boolean;
  /** Why the member may not deploy. */
  reason: string | null;
  /** Whether the last selection contained no files. */
  isEmptyPick: boolean;
  onPick: (source: DeploySource) => void;
}) {
  const { isFirst, isMain = false, isOver, reason, isEmptyPick, onPick } = props;
  const { t } = useLingui();
  const invitation = isOver ? <Trans>Drop it to deploy</Trans> : <Trans>Drop a folder here to deploy</Trans>;
  const title = reason === null ? invitation : <Trans>Deploying is not possible</Trans>;
  const text = reason === null && (
    <Trans>Or a .zip. Only what has changed is sent; the live site changes in one step at the end.</Trans>
  );
  const note = (reason !== null || isEmptyPick) && (
    <Text size="sm" c={reason === null ? 'red' : 'dimmed'} role={reason === null ? 'alert' : undefined}>
      {reason ?? <Trans>There is nothing to deploy: the folder has no files.</Trans>}
    </Text>
  );
  const buttons = (
    <Group gap="xs" justify={isFirst ? 'center' : undefined}>
      <FolderButton onPick={(files) => onPick({ kind: 'files', read: async () => files })}>
        {(choose) => (
          <ReasonedAction reason={reason} onAct={choose}>
            {(action) => (
              <Button variant={isMain ? 'filled' : 'default'} {...action}>
                {t`Choose folder`}
              </Button>
            )}
          </ReasonedAction>
        )}
      </FolderButton>
      <FileButton
        accept=".zip,application/zip"
        inputProps={{ 'aria-label': t`Zip file`, tabIndex: -1 }}
        onChange={(file) => file && onPick({ kind: 'archive', file })}
      >
        {({ onClick }) => (
          <ReasonedAction reason={reason} onAct={onClick}>
            {(action) => (
              <Button variant="default" {...action}>
                {t`Choose zip`}
              </Button>
            )}
          </ReasonedAction>
        )}
      </FileButton>
    </Group>
  );
  if (!isFirst) {
    return (
      <div className={classes.compact}>
        <IconCloudUpload size={22} stroke={1.6} aria-hidden />
        <div className={classes.compactText}>
          <Text fw={550} size="sm">
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {text}
          </Text>
          {note}
        </div>
        {buttons}
      </div>
    );
  }
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        <IconCloudUpload size={22} stroke={1.6} />
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" size="sm" maw={440}>
        {text}
      </Text>
      {note}
      {buttons}
    </Stack>
  );
}
