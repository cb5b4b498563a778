"""Makes a user who may do everything with Step Functions, and prints the keys as ID:SECRET.

    make_user.py URL
"""

import json
import sys

import botocore.session

iam = botocore.session.Session().create_client(
    "iam",
    region_name="us-east-1",
    endpoint_url=sys.argv[1],
    aws_access_key_id="test",
    aws_secret_access_key="test",
)
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "states:*", "Resource": "*"}]}
iam.create_user(UserName="flows")
iam.put_user_policy(UserName="flows", PolicyName="flows", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="flows")["AccessKey"]
print(f"{key['AccessKeyId']}:{key['SecretAccessKey']}")
