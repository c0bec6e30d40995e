// SPDX-License-Identifier: Apache-2.0
/**
 * The store of finished operations and audit records: one ConfigMap to which all replicas add.
 *
 * <p>Any thread; requests to the API server are made on worker threads. Each failure is reported
 * here, and is none of an operation or a change.
 */
@NullMarked
package dev.coxswain.host.internal.history;

import org.jspecify.annotations.NullMarked;
