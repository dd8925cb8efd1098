export default { ssr: true, future: { v8_middleware: true } };
