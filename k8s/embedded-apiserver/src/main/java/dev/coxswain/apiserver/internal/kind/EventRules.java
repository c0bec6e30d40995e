// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fields of events that are always there, and where events may live; any thread. */
final class EventRules implements KindRules {
  @Override
  public void defaults(ObjectNode event) {
    if (!event.has("eventTime")) {
      event.putNull("eventTime");
    }
    Json.ensure(event, "source");
    Json.putDefault(event, "reportingComponent", "");
    Json.putDefault(event, "reportingInstance", "");
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode event, List<Cause> causes) {
    String of = Json.text(event.get("involvedObject"), "namespace");
    String own = Json.text(event.get("metadata"), "namespace");
    boolean cluster = of.isEmpty() && (own.equals("default") || own.equals("kube-system"));
    if (!of.equals(own) && !cluster) {
      causes.add(
          Cause.invalidText("involvedObject.namespace", of, "does not match event.namespace"));
    }
  }
}
