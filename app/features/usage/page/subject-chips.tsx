import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { IconBrowser, IconWorld, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import type { UsageSubject } from '../period-search.ts';
import classes from './subject-chips.module.css';
import type { useSubjectNames } from './use-subject-names.ts';

/**
 * The active filters, each with a link that removes it; `onRemoved` is called because the link disappears
 * with the focus.
 */
export function SubjectChips(props: {
  organizationId: string;
  subject: UsageSubject;
  names: ReturnType<typeof useSubjectNames>;
  onRemoved: () => void;
}) {
  const { t } = useLingui();
  const { organizationId, subject, names, onRemoved } = props;
  const { site = null, endpoint = null } = names;
  const chips = [
    {
      key: 'site_id' as const,
      Icon: IconBrowser,
      kind: t`Site`,
      isPending: names.site === undefined,
      name: site ?? t`deleted or unknown`,
    },
    {
      key: 'cdn_endpoint_id' as const,
      Icon: IconWorld,
      kind: t`Endpoint`,
      isPending: names.endpoint === undefined,
      name: endpoint === null ? t`deleted or unknown` : writtenHostname(endpoint),
    },
  ].filter(({ key }) => subject[key] !== undefined);
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={t`Filters`}>
      {chips.map(({ key, Icon, kind, isPending, name }) => (
        <li key={key} className={classes.chip}>
          <Icon size={16} stroke={1.6} aria-hidden className={classes.kind} />
          <span className={classes.kind}>{kind}</span>
          {isPending ? <Skeleton height={12} width={96} /> : <span className={classes.name}>{name}</span>}
          <Link
            to="/$orgId/usage"
            params={{ orgId: organizationId }}
            search={(before) => ({ ...before, [key]: undefined })}
            resetScroll={false}
            className={classes.remove}
            onClick={onRemoved}
          >
            <IconX size={14} stroke={2} aria-hidden />
            <span className="visually-hidden">
              <Trans>Remove this filter: {name}</Trans>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
