/** The console's entry: the styles, the language, then what the address asks for. What went ahead of it: `first.ts`. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/tables.css';
import './styles/runs.css';
import './styles/run.css';
import './styles/charts.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './api/ask.ts';
import { App } from './app.tsx';
import { fetchSentences, language } from './words/words.ts';

void fetchSentences();
document.documentElement.lang = language();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something is old; what nobody told of is read again after this.
      staleTime: 30_000,
      refetchInterval: 30_000,
      retry: (failures, error) => !(error instanceof Refused) && failures < 2,
      networkMode: 'always',
    },
    // What is asked for while the network is away fails there and then: nobody expects it to be done an hour later.
    mutations: { networkMode: 'always' },
  },
});

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
