// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.admission.WebhookDispatcher;
import dev.coxswain.apiserver.internal.operation.Applies;
import dev.coxswain.apiserver.internal.operation.Creates;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.operation.Lists;
import dev.coxswain.apiserver.internal.operation.Patches;
import dev.coxswain.apiserver.internal.operation.Updates;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.view.Rendering;
import dev.coxswain.apiserver.internal.watch.WatchHub;

/**
 * The parts of the server that requests work on; confined to the server's event loop.
 *
 * @param registry resources
 * @param store objects
 * @param creates creating
 * @param updates replacing
 * @param patches patching
 * @param applies server-side apply
 * @param deletes deleting
 * @param lists listing
 * @param watches watching
 * @param rendering printing
 * @param access who may do what
 * @param webhooks admission webhooks
 */
public record Backend(
    ResourceRegistry registry,
    ObjectStore store,
    Creates creates,
    Updates updates,
    Patches patches,
    Applies applies,
    Deletes deletes,
    Lists lists,
    WatchHub watches,
    Rendering rendering,
    Access access,
    WebhookDispatcher webhooks) {}
