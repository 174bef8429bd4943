import { useLingui } from '@lingui/react/macro';
import { Card, Skeleton, Stack } from '@mantine/core';
import classes from './audit.module.css';
import { AuditHeader } from './audit-header.tsx';

/** The audit log before its first page. */
export function AuditSkeleton() {
  return (
    <>
      <AuditHeader />
      <Stack gap="lg">
        <Skeleton height={58} maw={640} />
        <AuditListSkeleton />
      </Stack>
    </>
  );
}

export function AuditListSkeleton() {
  const { t } = useLingui();
  return (
    <Card padding={0} role="status" aria-busy aria-label={t`Loading`}>
      {['62%', '48%', '70%', '55%', '40%'].map((width) => (
        <div key={width} className={classes.skeleton}>
          <Skeleton height={16} width={width} />
          <Skeleton height={12} width={90} mt={8} />
        </div>
      ))}
    </Card>
  );
}
