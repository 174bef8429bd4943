import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Code, Group, Text } from '@mantine/core';
import { useId } from 'react';
import type { WebhookAttempt, WebhookMessage } from '#server/services/webhooks/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { type BadgeColour, RowBadge } from '../../components/lists/row-badge.tsx';
import { revealDirection } from '../../i18n/reveal-direction.ts';
import { ATTEMPT_WORDS } from './attempt-words.ts';
import { EVENT_WORDS } from './event-words.ts';
import classes from './message-row.module.css';

const COLOURS: Record<WebhookMessage['status'], BadgeColour> = {
  waiting: 'yellow',
  delivered: 'green',
  failed: 'red',
};

/** One event: what it is about, whether it arrived, and on request its content and each attempt. */
export function MessageRow(props: {
  message: WebhookMessage;
  onRedeliver: ((message: WebhookMessage) => Promise<void>) | null;
}) {
  const { message, onRedeliver } = props;
  const { t, i18n } = useLingui();
  const { event, status, created_at, next_attempt_at, attempts } = message;
  const [eventId, detailsId] = [useId(), useId()];
  const words = { waiting: t`Waiting`, delivered: t`Delivered`, failed: t`Failed` };
  return (
    <li className={classes.row}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <div className={classes.text}>
          <Text size="sm" fw={500} id={eventId}>
            {i18n._(EVENT_WORDS[event])}
          </Text>
          <Text size="xs" c="dimmed">
            <code>{event}</code> · <TimeAgo instant={created_at} />
            {status === 'waiting' && next_attempt_at && attempts.length > 0 && (
              <>
                {' · '}
                <Trans>
                  next attempt <TimeAgo instant={next_attempt_at} />
                </Trans>
              </>
            )}
          </Text>
        </div>
        <RowBadge colour={COLOURS[status]}>{words[status]}</RowBadge>
      </Group>
      <details className={classes.details}>
        {/* There is one in each row. */}
        <summary id={detailsId} aria-labelledby={`${detailsId} ${eventId}`}>
          <Trans>Details</Trans>
        </summary>
        <div className={classes.opened}>
          <Text size="xs" c="dimmed">
            webhook-id <code>{message.id}</code>
          </Text>
          <Code block tabIndex={0} role="region" aria-label={t`What was sent`}>
            {revealDirection(JSON.stringify(JSON.parse(message.body), null, 2))}
          </Code>
          <ol className={classes.attempts}>
            {attempts.map((attempt) => (
              <AttemptLine key={attempt.at} attempt={attempt} />
            ))}
          </ol>
          {onRedeliver && (
            <Button
              variant="default"
              size="xs"
              className={classes.again}
              onClick={() => void onRedeliver(message)}
            >
              {status === 'waiting' ? <Trans>Deliver now</Trans> : <Trans>Deliver again</Trans>}
            </Button>
          )}
        </div>
      </details>
    </li>
  );
}

function AttemptLine({ attempt }: { attempt: WebhookAttempt }) {
  const { t, i18n } = useLingui();
  const { at, duration_ms, status, problem, answer: response } = attempt;
  return (
    <li>
      <Text size="sm">
        {problem === null ? <Trans>Delivered</Trans> : i18n._(ATTEMPT_WORDS[problem])}
        {status !== null && ` (${status})`}
        {' · '}
        <TimeAgo instant={at} />
        {' · '}
        {i18n.number(duration_ms)}&nbsp;ms
      </Text>
      {response && (
        // It may be a whole page of the receiver, which scrolls.
        <Code
          block
          className={classes.answer}
          tabIndex={0}
          role="group"
          aria-label={t`Response of the receiver`}
        >
          {revealDirection(response)}
        </Code>
      )}
    </li>
  );
}
