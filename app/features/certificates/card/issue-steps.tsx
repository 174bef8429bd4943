import { Trans, useLingui } from '@lingui/react/macro';
import { Loader, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { ISSUE_STEPS, type IssueStep } from '#server/services/certificates/rules.ts';
import classes from './issue-steps.module.css';

/** The steps of an issuance, with the current one marked; null when it has begun and no step is known yet. */
export function IssueSteps({ step }: { step: IssueStep | null }) {
  const { t } = useLingui();
  const names: Record<IssueStep, string> = {
    order: t`Ordering the certificate`,
    publish: t`Publishing the answer to the challenge`,
    challenge: t`Waiting for the authority to check it`,
    finalize: t`Having the certificate signed`,
    download: t`Fetching and installing it`,
  };
  const now = step === null ? 0 : ISSUE_STEPS.indexOf(step);
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        {/* The words say what is being done; the list beneath shows how far that is. */}
        <span className="visually-hidden">{names[ISSUE_STEPS[now] ?? 'order']}</span>
        <span aria-hidden>
          <Trans>The certificate is being issued</Trans>
        </span>
      </Text>
      <ol className={classes.steps} aria-label={t`Issuing steps`}>
        {ISSUE_STEPS.map((name, index) => (
          <li
            key={name}
            data-step={name}
            data-state={index < now ? 'done' : index === now ? 'now' : 'later'}
            aria-current={index === now ? 'step' : undefined}
          >
            <StepMark state={index < now ? 'done' : index === now ? 'now' : 'later'} />
            {names[name]}
          </li>
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        <Trans>
          This usually takes less than a minute. You can leave the page: it continues automatically.
        </Trans>
      </Text>
    </Stack>
  );
}

function StepMark({ state }: { state: 'done' | 'now' | 'later' }) {
  const { t } = useLingui();
  if (state === 'done') {
    return <IconCheck size={16} stroke={2.2} className={classes.check} aria-label={t`done`} />;
  }
  if (state === 'now') return <Loader size={14} className={classes.mark} aria-hidden />;
  return <span className={classes.dot} aria-hidden />;
}
