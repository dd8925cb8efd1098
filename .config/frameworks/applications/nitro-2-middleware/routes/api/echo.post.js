import { defineEventHandler, readRawBody } from 'h3';

export default defineEventHandler((event) => readRawBody(event));
