import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { QueueName } from '#server/services/operator/rules.ts';
import type { InstallationHealth } from '#server/services/operator/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { Facts } from '../../../components/facts.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { trpc } from '../../../trpc.ts';
import classes from '../operator.module.css';
import { Answer, Nothing, REFRESH_MS } from './answer.tsx';

const QUEUE_WORDS: Record<QueueName, MessageDescriptor> = {
  mails: msg`Emails`,
  certificates: msg`Certificates to issue or renew`,
  dns_checks: msg`DNS checks`,
  encoded_copies: msg`Versions to compress`,
  webhooks: msg`Webhook deliveries`,
  bucket_emptyings: msg`Buckets being emptied`,
  upload_abandonments: msg`Buckets whose unfinished uploads are being abandoned`,
  invoices: msg`Payments to try again`,
  payment_events: msg`Events of the payment provider`,
  billing_notices: msg`Billing notices`,
};

const DEPENDENCY_WORDS: Record<string, MessageDescriptor> = {
  database: msg`Database`,
  store: msg`Object store`,
  issuer: msg`Identity service`,
  mail: msg`Mail server`,
  challenge_zone: msg`Zone of certificate challenges`,
};

/** Processes, dependencies, queues and billing, from one query. */
export function InstallationCards() {
  const health = trpc.operator.health.useQuery(undefined, { refetchInterval: REFRESH_MS });
  const { data } = health;
  return (
    <>
      <SectionCard title={<Trans>Services</Trans>}>
        <Answer query={health}>{data && <Running health={data} />}</Answer>
      </SectionCard>
      <SectionCard title={<Trans>Queues</Trans>}>
        <Answer query={health}>{data && <Queues queues={data.queues} />}</Answer>
      </SectionCard>
      <SectionCard title={<Trans>Billing</Trans>}>
        <Answer query={health}>{data && <BillingFacts billing={data.billing} />}</Answer>
      </SectionCard>
    </>
  );
}

type Dependency = InstallationHealth['dependencies'][number];

function DependencyBadge({ dependency }: { dependency: Dependency }) {
  if (!dependency.is_up)
    return (
      <RowBadge colour="red">
        <Trans>Not responding</Trans>
      </RowBadge>
    );
  if (dependency.is_full)
    return (
      <RowBadge colour="red">
        <Trans context="store">Full</Trans>
      </RowBadge>
    );
  return dependency.is_read_only ? (
    <RowBadge colour="red">
      <Trans>Read only</Trans>
    </RowBadge>
  ) : (
    <RowBadge colour="green">
      <Trans>Responding</Trans>
    </RowBadge>
  );
}

function Running({ health: { processes, machines, dependencies } }: { health: InstallationHealth }) {
  const { i18n, t } = useLingui();
  return (
    <>
      <ul className={classes.list} aria-label={t`Dependencies`}>
        {dependencies.map((dependency) => {
          const { name } = dependency;
          const words = DEPENDENCY_WORDS[name];
          return (
            <StateRow key={name} name={words ? i18n._(words) : name}>
              <DependencyBadge dependency={dependency} />
            </StateRow>
          );
        })}
      </ul>
      <Text size="xs" c="dimmed" mt="sm">
        {processes.length === 0 ? (
          <Trans>One process does all the work of this machine.</Trans>
        ) : (
          <Trans>Processes of this machine</Trans>
        )}
      </Text>
      <Processes processes={processes} label={t`Processes`} />
      {machines.map(({ id, name, is_alive, seen_at, processes: others }) => (
        <div key={id}>
          <Group justify="space-between" gap="sm" mt="sm">
            <Text size="xs" c="dimmed">
              <Trans>Processes of the machine {name}</Trans>
            </Text>
            {!is_alive && (
              <RowBadge colour="red">
                <Trans>
                  Last report <TimeAgo instant={seen_at} />
                </Trans>
              </RowBadge>
            )}
          </Group>
          {is_alive && <Processes processes={others} label={t`Processes of the machine ${name}`} />}
        </div>
      ))}
    </>
  );
}

/** The processes of a machine with their state. */
function Processes(props: { processes: InstallationHealth['processes']; label: string }) {
  return (
    <ul className={classes.list} aria-label={props.label}>
      {props.processes.map(({ name, is_ready, is_silent, starts }) => (
        <StateRow key={name} name={name}>
          {starts > 1 && (
            <Text size="xs" c="dimmed">
              <Plural value={starts} one="started # time" other="started # times" />
            </Text>
          )}
          {is_ready ? (
            <RowBadge colour="green">
              <Trans context="process">Running</Trans>
            </RowBadge>
          ) : is_silent ? (
            <RowBadge colour="red">
              <Trans>Not responding</Trans>
            </RowBadge>
          ) : (
            <RowBadge colour="yellow">
              <Trans context="process">Starting</Trans>
            </RowBadge>
          )}
        </StateRow>
      ))}
    </ul>
  );
}

function StateRow(props: { name: string; children: ReactNode }) {
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" className={classes.words}>
          {props.name}
        </Text>
        <Group gap="xs">{props.children}</Group>
      </Group>
    </li>
  );
}

/** Only queues with waiting entries: most are empty most of the time. */
function Queues({ queues }: { queues: InstallationHealth['queues'] }) {
  const { i18n, t } = useLingui();
  const waiting = queues.filter((queue) => queue.waiting > 0);
  if (waiting.length === 0) {
    return (
      <Nothing>
        <Trans>Nothing is waiting.</Trans>
      </Nothing>
    );
  }
  return (
    <ul className={classes.list} aria-label={t`Queues`}>
      {waiting.map(({ queue, waiting: count, oldest_at }) => (
        <StateRow key={queue} name={i18n._(QUEUE_WORDS[queue])}>
          <Text size="sm" c="dimmed">
            {oldest_at === null ? (
              i18n.number(count)
            ) : (
              <Trans>
                {i18n.number(count)}, the first due <TimeAgo instant={oldest_at} />
              </Trans>
            )}
          </Text>
        </StateRow>
      ))}
    </ul>
  );
}

const MODE_WORDS: Record<InstallationHealth['billing']['mode'], MessageDescriptor> = {
  off: msg({ context: 'billing', message: 'Off' }),
  sandbox: msg({ context: 'billing', message: 'Sandbox' }),
  test: msg({ context: 'billing', message: 'Test mode' }),
  live: msg({ context: 'billing', message: 'Live' }),
};

function BillingFacts({ billing }: { billing: InstallationHealth['billing'] }) {
  const { i18n, t } = useLingui();
  const { mode, last_run: run } = billing;
  const modeFact = { name: t({ context: 'billing', message: 'Mode' }), value: i18n._(MODE_WORDS[mode]) };
  if (mode === 'off') return <Facts facts={[modeFact]} />;
  const month = run && new Date(`${run.month}-01T00:00:00Z`);
  return (
    <Facts
      facts={[
        modeFact,
        {
          name: t`Last month billed`,
          value: month ? formatDate(month, i18n.locale, { year: 'numeric', month: 'long' }) : '–',
        },
        { name: t`Closed`, value: run ? <TimeAgo instant={run.closed_at} /> : '–' },
        { name: t`Organizations included`, value: i18n.number(run?.organizations ?? 0) },
        { name: t`Unpaid invoices`, value: i18n.number(billing.open_invoices) },
        { name: t`Invoices held`, value: i18n.number(billing.held_invoices) },
        { name: t`Disputed payments`, value: i18n.number(billing.disputed_invoices) },
        { name: t`Rejected refunds`, value: i18n.number(billing.rejected_refunds) },
      ]}
    />
  );
}
