// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.bench.run.ApiServer;
import java.util.SplittableRandom;

/** Pods as a Deployment makes them, about 2.5 KiB of JSON each, the same ones every time. */
public final class PodJson implements ApiServer.Content {
  private static final int PODS_OF_A_NAMESPACE = 100;
  private static final long SEED = 20_261_121;

  public PodJson() {}

  @Override
  public void fill(EmbeddedApiServer server, String amount) {
    int pods = Integer.parseInt(amount);
    for (int i = 0; i < pods; i++) {
      if (i % PODS_OF_A_NAMESPACE == 0) {
        server.apply(
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}"
                .formatted(namespace(i)));
      }
      server.apply(pod(i));
    }
  }

  private static String namespace(int pod) {
    return "team-" + pod / PODS_OF_A_NAMESPACE;
  }

  /** Returns the JSON of a pod. */
  static String pod(int index) {
    SplittableRandom random = new SplittableRandom(SEED + index);
    String app = "service-" + index / 10;
    String hash = Integer.toHexString(random.nextInt() | 0x1000_0000);
    String image = "registry.example.com/team/" + app + ":" + hash;
    String node = "node-" + random.nextInt(200) + ".zone-" + random.nextInt(3) + ".example.com";
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%1$s-%2$s-%3$d","namespace":"%4$s",
    "labels":{"app.kubernetes.io/name":"%1$s","app.kubernetes.io/instance":"%1$s-prod",
    "app.kubernetes.io/part-of":"shop","pod-template-hash":"%2$s","tier":"backend"},
    "annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"8080",
    "checksum/config":"%2$s%2$s%2$s%2$s","kubectl.kubernetes.io/restartedAt":"2026-11-01T08:00:00Z"}},
    "spec":{"nodeName":"%5$s","serviceAccountName":"%1$s","restartPolicy":"Always",
    "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler",
    "volumes":[{"name":"config","configMap":{"name":"%1$s-config","defaultMode":420}},
    {"name":"tmp","emptyDir":{}}],
    "containers":[{"name":"app","image":"%6$s","imagePullPolicy":"IfNotPresent",
    "args":["--config=/etc/app/config.yaml","--log-level=info"],
    "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},
    {"name":"metrics","containerPort":9090,"protocol":"TCP"}],
    "env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},
    {"name":"DATABASE_URL","value":"postgres://db.%4$s.svc:5432/%1$s"},
    {"name":"CACHE_URL","value":"redis://cache.%4$s.svc:6379/0"}],
    "resources":{"requests":{"cpu":"100m","memory":"256Mi"},"limits":{"cpu":"1","memory":"512Mi"}},
    "volumeMounts":[{"name":"config","mountPath":"/etc/app","readOnly":true},
    {"name":"tmp","mountPath":"/tmp"}],
    "readinessProbe":{"httpGet":{"path":"/ready","port":8080,"scheme":"HTTP"},"periodSeconds":10,
    "timeoutSeconds":1,"successThreshold":1,"failureThreshold":3}}],
    "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
    "tolerationSeconds":300}]},
    "status":{"phase":"Running","hostIP":"10.0.%7$d.%8$d","podIP":"10.1.%7$d.%8$d",
    "startTime":"2026-11-01T08:00:02Z","qosClass":"Burstable",
    "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-01T08:00:09Z"},
    {"type":"ContainersReady","status":"True","lastTransitionTime":"2026-11-01T08:00:09Z"},
    {"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-01T08:00:02Z"}],
    "containerStatuses":[{"name":"app","ready":true,"started":true,"restartCount":0,
    "image":"%6$s","imageID":"%6$s@sha256:%2$s%2$s%2$s%2$s","containerID":"containerd://%2$s%2$s%2$s",
    "state":{"running":{"startedAt":"2026-11-01T08:00:05Z"}}}]}}
    """
        .formatted(
            app,
            hash,
            index,
            namespace(index),
            node,
            image,
            random.nextInt(256),
            random.nextInt(256));
  }
}
