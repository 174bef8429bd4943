import { reportAbuse } from '../../services/abuse/report-abuse.ts';
import { abuseReceiptSchema, reportAbuseInput } from '../../services/abuse/schema.ts';
import { openRoute, type Route } from '../route.ts';

export const abuseRoutes: Route[] = [
  openRoute(
    {
      audience: 'public',
      method: 'POST',
      path: '/api/v1/abuse-reports',
      id: 'reportAbuse',
      tag: 'Abuse',
      summary: 'Report abuse by a site',
      description:
        'Open to anyone, without credentials. The operator reviews each report; the response is the same whether the ' +
        'address exists here or not.',
      body: { json: reportAbuseInput },
      success: { kind: 'json', status: 201, schema: abuseReceiptSchema },
    },
    ({ context, body }) => reportAbuse(context, body),
  ),
];
