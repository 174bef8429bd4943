import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { formatBytes } from '../../i18n/formats/format-bytes.ts';
import classes from './deploy-zone.module.css';
import type { DeployState, RunningStep } from './use-deploy.ts';

type RunningState = Extract<DeployState, { step: RunningStep }>;

/** The steps of a running deploy, the progress of the current one, and Cancel. */
export function DeployProgressView({ state, onCancel }: { state: RunningState; onCancel: () => void }) {
  const { t, i18n } = useLingui();
  const steps: { step: RunningStep; name: string }[] = [
    { step: 'hashing', name: t`Hashing` },
    { step: 'uploading', name: t`Uploading` },
    { step: 'publishing', name: t`Publishing` },
  ];
  const now = Math.max(
    0,
    steps.findIndex(({ step }) => step === state.step),
  );
  const isCounted = state.step === 'hashing' || state.step === 'uploading';
  const share = isCounted ? shareOf(state) : null;
  return (
    <Stack gap="sm">
      <ol className={classes.steps}>
        {steps.map(({ step, name }, index) => (
          <li key={step} data-state={index < now ? 'done' : index === now ? 'now' : 'later'}>
            {index < now ? (
              <IconCheck size={16} stroke={2.2} className={classes.check} aria-label={t`done`} />
            ) : (
              <span className={classes.dot} aria-hidden />
            )}
            {name}
          </li>
        ))}
      </ol>
      <Progress
        value={share ?? 100}
        animated={share === null}
        striped={share === null}
        size="md"
        radius="xl"
        transitionDuration={150}
        aria-label={steps[now]?.name}
      />
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" c="dimmed">
          <ProgressWords state={state} locale={i18n.locale} />
        </Text>
        <Button
          variant="default"
          size="xs"
          flex="none"
          onClick={onCancel}
          disabled={state.step === 'publishing'}
        >
          <Trans>Cancel</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function shareOf({
  bytesDone,
  bytesTotal,
  filesDone,
  filesTotal,
}: {
  bytesDone: number;
  bytesTotal: number;
  filesDone: number;
  filesTotal: number;
}): number {
  // Bytes predict the time better than files; a site of empty files still shows progress.
  return bytesTotal > 0 ? (bytesDone / bytesTotal) * 100 : (filesDone / Math.max(1, filesTotal)) * 100;
}

function ProgressWords({ state, locale }: { state: RunningState; locale: string }) {
  const { t } = useLingui();
  switch (state.step) {
    case 'reading':
      return t`${plural(state.count, { one: 'Reading the folder: # file', other: 'Reading the folder: # files' })}`;
    case 'publishing':
      return <Trans>Publishing: the new version goes live in one step.</Trans>;
    default: {
      const { filesDone, filesTotal } = state;
      const done = formatBytes(state.bytesDone, locale);
      const total = formatBytes(state.bytesTotal, locale);
      const count =
        state.step === 'hashing'
          ? t`${plural(filesTotal, {
              one: `Hashing ${filesDone} of # file`,
              other: `Hashing ${filesDone} of # files`,
            })}`
          : t`${plural(filesTotal, {
              one: `Uploading ${filesDone} of # file`,
              other: `Uploading ${filesDone} of # files`,
            })}`;
      return (
        <Trans>
          {count} · {done} of {total}
        </Trans>
      );
    }
  }
}
