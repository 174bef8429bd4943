import { Trans, useLingui } from '@lingui/react/macro';
import { Loader, Text } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconHelpCircleFilled,
} from '@tabler/icons-react';
import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import classes from './dns-checklist.module.css';
import { dnsProblemWords } from './dns-problem-words.ts';
import type { ShownFact } from './facts-to-show.ts';
import { RecordChoice } from './record-choice.tsx';
import { expectedRecords, recordsToSet } from './records-to-set.ts';

const ICONS: Record<DnsFact['status'], Icon> = {
  ok: IconCircleCheckFilled,
  missing: IconAlertTriangleFilled,
  wrong: IconCircleXFilled,
  unknown: IconHelpCircleFilled,
};

/** Another server serves the visitors. */
const ELSEWHERE: ReadonlySet<DnsProblem> = new Set<DnsProblem>([
  'points_elsewhere',
  'apex_elsewhere',
  'proxied',
]);

/** One fact of the checklist: its state as an icon and as text, and what to do about a problem. */
export function DnsFactRow(props: {
  fact: ShownFact;
  registeredDomain: string | null;
  isIssued: boolean;
  /** The record to set is already shown above. */
  isRecordAbove: boolean;
}) {
  const { t, i18n } = useLingui();
  const { fact, registeredDomain, isIssued, isRecordAbove } = props;
  const { status } = fact;
  const titles: Record<DnsFact['fact'], string> = {
    traffic: t`Traffic`,
    challenge: t`Certificate challenge`,
    caa: t`Who may issue (CAA)`,
  };
  const words: Record<ShownFact['status'], string> = {
    ok: t({ context: 'DNS record', message: 'Correct' }),
    missing: t({ context: 'DNS record', message: 'Missing' }),
    wrong: t({ context: 'DNS record', message: 'Wrong' }),
    unknown: t({ context: 'DNS record', message: 'Unknown' }),
    checking: t({ context: 'DNS record', message: 'Checking…' }),
  };
  const known = status === 'checking' ? null : { ...fact, status };
  const problem = known && dnsProblemWords(known, registeredDomain);
  const isUnrestricted = fact.fact === 'caa' && status === 'ok' && fact.found.length === 0;
  const toSet = known && !isRecordAbove ? recordsToSet(known) : null;
  const isTrafficElsewhere = fact.problem !== null && ELSEWHERE.has(fact.problem);
  // Traffic may stay where it is until the certificate is there, and after that until it suits.
  const isNoHurry = isTrafficElsewhere && fact.fact === 'traffic' && !isIssued;
  const look =
    isNoHurry || (fact.fact === 'traffic' && status === 'wrong' && isRecordAbove) ? 'missing' : status;
  return (
    <li className={classes.fact} data-status={look} data-problem={fact.problem}>
      <StatusIcon status={look} />
      <div className={classes.body}>
        <div className={classes.head}>
          <strong>{titles[fact.fact]}</strong>
          <span className={classes.status}>{words[status]}</span>
        </div>
        <code className={classes.name}>{fact.name}</code>
        {problem && (
          <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
            {i18n._(problem.wrong)} {!isNoHurry && i18n._(problem.next)}
          </Text>
        )}
        {known?.status === 'unknown' && problem === null && (
          <Text size="sm" mt={6}>
            <Trans>The lookup failed. We will try again automatically.</Trans>
          </Text>
        )}
        {isUnrestricted && (
          <Text size="sm" mt={6}>
            <Trans>No record prevents a certificate from being issued.</Trans>
          </Text>
        )}
        {isNoHurry && (
          <Text size="sm" mt={6}>
            <Trans>Leave it until the certificate is ready; then you switch without interruption.</Trans>
          </Text>
        )}
        {toSet && (
          <div className={classes.toSet}>
            <Text size="xs" c="dimmed">
              <Trans>Record to set</Trans>
            </Text>
            <RecordChoice toSet={toSet} registeredDomain={registeredDomain} label={t`Record to set`} />
          </div>
        )}
        {!isUnrestricted && <FoundAndExpected fact={fact} isExpectedShown={toSet !== null} />}
      </div>
    </li>
  );
}

function FoundAndExpected({ fact, isExpectedShown }: { fact: ShownFact; isExpectedShown: boolean }) {
  const { t } = useLingui();
  const { expected, found, status } = fact;
  const values = [
    ...(isExpectedShown || expected.length === 0
      ? []
      : [{ name: t`Expected`, lines: expectedRecords(fact).map(({ type, value }) => `${type} ${value}`) }]),
    ...(status === 'checking' ? [] : [{ name: t`Found`, lines: found }]),
  ];
  return (
    <dl className={classes.values}>
      {values.map(({ name, lines }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {lines.length === 0 && <Trans context="DNS record">nothing</Trans>}
            {lines.map((line) => (
              <code key={line}>{line}</code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function StatusIcon({ status }: { status: ShownFact['status'] }) {
  if (status === 'checking') return <Loader size={18} color="gray" aria-hidden />;
  const StatusMark = ICONS[status];
  return <StatusMark size={20} className={classes.icon} aria-hidden />;
}
