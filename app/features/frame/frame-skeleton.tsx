import { Trans } from '@lingui/react/macro';
import { Group, Skeleton, Stack } from '@mantine/core';
import { useSettings } from '../../use-settings.ts';
import classes from './app-frame.module.css';
import { BrandMark } from './brand-mark.tsx';
import { NAVIGATION_ITEMS } from './navigation-items.ts';

/** The frame while the person and the organizations are loading. */
export function FrameSkeleton() {
  const { productName } = useSettings();
  return (
    <>
      <header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <span className={classes.brand}>
            <BrandMark />
            <span className={classes.brandName}>{productName}</span>
          </span>
          <Skeleton height={18} width={120} ml="md" />
          <Skeleton circle height={32} ml="auto" />
        </Group>
      </header>
      <nav className={classes.navigation} aria-hidden>
        <Stack gap={2} p="sm">
          {NAVIGATION_ITEMS.map(({ label }) => (
            <Group key={label.id} h="2.4875rem" px="sm" gap="sm">
              <Skeleton height={18} width={18} />
              <Skeleton height={14} width="55%" />
            </Group>
          ))}
        </Stack>
      </nav>
      <main className={classes.main}>
        <div className={classes.page}>
          <Stack gap="lg" role="status" aria-busy>
            <h1 className="visually-hidden">
              <Trans>Loading</Trans>
            </h1>
            <Skeleton height={32} width={260} maw="80%" />
            <Skeleton height={120} />
            <Skeleton height={240} />
          </Stack>
        </div>
      </main>
    </>
  );
}
