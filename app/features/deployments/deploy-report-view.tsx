import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Code, ScrollArea, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { DeployReport } from '#server/services/deployments/schema.ts';
import { formatBytes } from '../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../i18n/reveal-direction.ts';
import classes from './deploy-report-view.module.css';
import { ruleProblemMessage } from './rule-problem-messages.ts';

/** What a deploy changed, path by path, and which lines of its rule files were left out. */
export function DeployReportView({ report }: { report: DeployReport }) {
  const { t, i18n } = useLingui();
  const { added, changed, removed, unchanged, changes, problems } = report;
  const total = added + changed + removed;
  const notShown = total - changes.length;
  const newBytes = formatBytes(report.new_bytes, i18n.locale);
  return (
    <Stack gap="sm" mt="sm">
      <Text size="sm" component="div" className={classes.counts}>
        <span
          data-change={added > 0 ? 'added' : undefined}
        >{t`${plural(added, { one: '# added', other: '# added' })}`}</span>
        <span
          data-change={changed > 0 ? 'changed' : undefined}
        >{t`${plural(changed, { one: '# changed', other: '# changed' })}`}</span>
        <span
          data-change={removed > 0 ? 'removed' : undefined}
        >{t`${plural(removed, { one: '# removed', other: '# removed' })}`}</span>
        <span>{t`${plural(unchanged, { one: '# unchanged', other: '# unchanged' })}`}</span>
        {total > 0 && (
          <span>
            <Trans>{newBytes} new</Trans>
          </span>
        )}
      </Text>
      {problems.length > 0 && <RuleProblems report={report} />}
      {changes.length > 0 && (
        <ScrollArea.Autosize
          mah={240}
          type="auto"
          className={classes.paths}
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t`Changed files` }}
        >
          <ul className={classes.list}>
            {changes.map(({ path, change, size }) => (
              <li key={path}>
                <ChangeMark change={change} />
                <span className={classes.path}>{revealDirection(path)}</span>
                <span className={classes.size}>{formatBytes(size, i18n.locale)}</span>
              </li>
            ))}
          </ul>
        </ScrollArea.Autosize>
      )}
      {notShown > 0 && (
        <Text size="xs" c="dimmed">
          {t`${plural(notShown, { one: 'and # more file', other: 'and # more files' })}`}
        </Text>
      )}
    </Stack>
  );
}

const MARKS = { added: '+', changed: '~', removed: '−' } as const;

function ChangeMark({ change }: { change: DeployReport['changes'][number]['change'] }) {
  const { t } = useLingui();
  const names = { added: t`added`, changed: t`changed`, removed: t`removed` };
  return (
    <span className={classes.mark} data-change={change}>
      <span aria-hidden>{MARKS[change]}</span>
      <span className="visually-hidden">{names[change]}</span>
    </span>
  );
}

function RuleProblems({ report }: { report: DeployReport }) {
  const { t, i18n } = useLingui();
  const { problems, problem_count: count } = report;
  const more = count - problems.length;
  return (
    <Alert
      color="yellow"
      role="note"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={t`${plural(count, { one: '# rule was left out', other: '# rules were left out' })}`}
    >
      <ul className={classes.problems}>
        {problems.map(({ file, line_number, line, code, message }) => {
          const words = ruleProblemMessage(code);
          return (
            <li key={`${file} ${line_number} ${code}`}>
              <Text size="sm">
                <strong>
                  <Trans>
                    {file}, line {line_number}
                  </Trans>
                </strong>{' '}
                {words ? i18n._(words) : message}
              </Text>
              <Code className={classes.line}>{revealDirection(line)}</Code>
            </li>
          );
        })}
      </ul>
      {more > 0 && (
        <Text size="sm" mt="xs">
          {t`${plural(more, { one: 'and # more', other: 'and # more' })}`}
        </Text>
      )}
    </Alert>
  );
}
