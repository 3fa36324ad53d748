import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RunBar } from '../../src/features/runs/RunBar.tsx';

type Run = Parameters<typeof RunBar>[0]['run'];

test.each<[string, Run, string[]]>([
  [
    'has one segment for completed and one for failed agents',
    { state: 'running', agentCount: 10, completedAgents: 3, failedAgents: 1 },
    ['30%', '10%'],
  ],
  [
    'of a completed run without agents is full',
    { state: 'completed', agentCount: 0, completedAgents: 0, failedAgents: 0 },
    ['100%', '0%'],
  ],
  [
    'of a run that has no agents yet is empty',
    { state: 'created', agentCount: 0, completedAgents: 0, failedAgents: 0 },
    ['0%', '0%'],
  ],
])('the bar %s', (_name, run, widths) => {
  const html = renderToStaticMarkup(createElement(RunBar, { run, className: '' }));
  expect([...html.matchAll(/width:([^"]*)"/g)].map(([, width]) => width)).toEqual(widths);
});
