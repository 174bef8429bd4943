import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { EndpointUsageSkeleton } from '../../usage/endpoint/endpoint-usage-skeleton.tsx';
import classes from './endpoint-page.module.css';

/** An endpoint's page before its data, with the final layout. */
export function EndpointPageSkeleton() {
  return (
    <div role="status" aria-busy>
      <h1 className="visually-hidden">
        <Trans>Loading</Trans>
      </h1>
      <Skeleton height={14} width={180} maw="60%" mt={5} mb={13} />
      <Group justify="space-between" mb="lg">
        <Skeleton height={30} width={320} maw="60%" />
        <Skeleton height={36} width={140} maw="35%" />
      </Group>
      <div className={classes.columns}>
        <Stack gap="lg">
          {[3, 5].map((lines) => (
            <Card key={lines}>
              <Skeleton height={20} width={140} mb="lg" />
              {Array.from({ length: lines }, (_, line) => 320 - 40 * line).map((width) => (
                <Skeleton key={width} height={14} width={width} maw="100%" my={14} />
              ))}
            </Card>
          ))}
        </Stack>
        <Stack gap="lg">
          {[90, 130, 110].map((width) => (
            <Card key={width}>
              <Skeleton height={20} width={width} mb="lg" />
              <Skeleton height={14} width={200} maw="100%" my={8} />
            </Card>
          ))}
        </Stack>
      </div>
      <Stack mt="lg" aria-hidden>
        <EndpointUsageSkeleton />
      </Stack>
    </div>
  );
}
