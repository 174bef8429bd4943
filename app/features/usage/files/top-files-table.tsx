import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsagePaths } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { ShareBar } from '../table/share-bar.tsx';
import classes from './top-files.module.css';

/** Files with requests, bandwidth and their share of `whole` bytes. */
export function TopFilesTable(props: { files: UsagePaths['paths']; whole: number; label: string }) {
  const { t, i18n } = useLingui();
  const { files, whole, label } = props;
  return (
    <TopFilesFrame label={label}>
      {files.map((file) => (
        <tr key={file.path} className={classes.row}>
          <th scope="row" className={classes.path} title={revealDirection(file.path)}>
            {revealDirection(file.path)}
          </th>
          <td className={classes.requests} data-name={t`Requests`}>
            {i18n.number(file.total_requests)}
          </td>
          <td className={classes.bytes} data-name={t`Bandwidth`}>
            {formatBytes(file.total_bytes_sent, i18n.locale)}
          </td>
          <td className={classes.share}>
            <ShareBar part={file.total_bytes_sent} whole={whole} />
          </td>
        </tr>
      ))}
    </TopFilesFrame>
  );
}

/** The table before its rows. */
export function TopFilesSkeleton() {
  const { t } = useLingui();
  return (
    <div aria-busy role="status" aria-label={t`Loading`}>
      <TopFilesFrame>
        {[190, 240, 150, 210, 170].map((width) => (
          <tr key={width} className={classes.row}>
            <td className={classes.path}>
              <Skeleton height={12} width={width} maw="100%" my={5} />
            </td>
            <td className={classes.requests}>
              <Skeleton height={12} width={40} ml="auto" />
            </td>
            <td className={classes.bytes}>
              <Skeleton height={12} width={60} ml="auto" />
            </td>
            <td className={classes.share}>
              <Skeleton height={6} />
            </td>
          </tr>
        ))}
      </TopFilesFrame>
    </div>
  );
}

function TopFilesFrame({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <Table className={classes.table} horizontalSpacing="lg" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={classes.path}>
            <Trans>File</Trans>
          </Table.Th>
          <Table.Th className={classes.requests}>
            <Trans>Requests</Trans>
          </Table.Th>
          <Table.Th className={classes.bytes}>
            <Trans>Bandwidth</Trans>
          </Table.Th>
          <Table.Th className={classes.share}>
            <Trans>Share</Trans>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}
