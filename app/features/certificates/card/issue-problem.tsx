import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { CERTIFICATE_PROBLEM_WORDS } from './certificate-problem-words.ts';
import { NextAttempt } from './next-attempt.tsx';

/**
 * Why the last attempt to issue or renew failed, in our words and the authority's, and when it is retried.
 */
export function IssueProblem(props: { bundle: Bundle; title: ReactNode; color: 'yellow' | 'red' }) {
  const { t, i18n } = useLingui();
  const { bundle, title, color } = props;
  if (bundle.problem === null) return null;
  const { code, detail } = bundle.problem;
  const { wrong, next } = CERTIFICATE_PROBLEM_WORDS[code];
  const { attempts } = bundle;
  return (
    <Alert color={color} role="note" icon={<IconAlertTriangle size={18} aria-hidden />} title={title}>
      <Stack gap={6}>
        <Text size="sm">
          {i18n._(wrong)} {i18n._(next)}
        </Text>
        {detail !== null && (
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} lang="en">
            {detail}
          </Code>
        )}
        <Text size="xs" c="dimmed">
          {attempts > 1 && (
            <>{t`${plural(attempts, { one: '# attempt so far.', other: '# attempts so far.' })}`} </>
          )}
          {bundle.next_attempt_at === null ? (
            <Trans>There will be no automatic retry.</Trans>
          ) : (
            <NextAttempt instant={bundle.next_attempt_at} />
          )}
        </Text>
      </Stack>
    </Alert>
  );
}
