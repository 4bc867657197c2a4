/**
 * Replaces the server in the shell's tests: the first argument selects its behaviour. It sends the same messages over
 * the same kind of channel as the real one.
 */
const [behaviour] = process.argv.slice(2);
const address = 'http://127.0.0.1:3003';
const keepAlive = setInterval(() => {}, 60_000);

function ready() {
  process.send({
    type: 'ready',
    address,
    loginUrl: `${address}/sign-in/first`,
    functionsFolder: '/functions',
    dataFolder: '/data',
  });
}

function end(code) {
  clearInterval(keepAlive);
  process.disconnect();
  process.exitCode = code;
}

process.on('message', (message) => {
  if (message.type === 'stop' && behaviour !== 'deaf') end(0);
  if (message.type === 'loginLink') {
    process.send({ type: 'loginLink', requestId: message.requestId, url: `${address}/login/${message.requestId}` });
  }
});

if (behaviour === 'locked') {
  process.send({ type: 'failed', code: 'wrong_master_key', message: 'The master key does not open this data.' }, () =>
    end(78),
  );
} else if (behaviour === 'port-taken') {
  process.send({ type: 'failed', code: 'port_in_use', message: 'Port 3003 is taken.' }, () => end(1));
} else if (behaviour === 'told-to-restart') {
  ready();
  end(75);
} else if (behaviour === 'told-to-stop') {
  ready();
  process.send({ type: 'quit' });
  end(0);
} else if (behaviour === 'dies') {
  end(3);
} else if (behaviour !== 'silent') {
  process.send({ type: 'nonsense' });
  ready();
}
