import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './more-usage-link.module.css';
import type { UsageSearch } from './period-search.ts';

/** Leads from a summary to the usage page, with the same filters. */
export function MoreUsageLink(props: { organizationId: string; search: UsageSearch; children: ReactNode }) {
  const { organizationId, search, children } = props;
  return (
    <Link to="/$orgId/usage" params={{ orgId: organizationId }} search={search} className={classes.link}>
      {children}
      <IconArrowRight size={16} stroke={1.8} aria-hidden />
    </Link>
  );
}
