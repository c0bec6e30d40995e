// SPDX-License-Identifier: Apache-2.0
/**
 * What has happened in the cluster and is worth a Kubernetes Event: {@link
 * dev.coxswain.admin.internal.notice.Notices} chooses it from what a replica sees, and gives it to the
 * {@link dev.coxswain.admin.internal.options.NoticeSink} of the host.
 */
@NullMarked
package dev.coxswain.admin.internal.notice;

import org.jspecify.annotations.NullMarked;
